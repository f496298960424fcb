import type { Diagram, DiagramEdge } from '../../../src/staff/wire.ts';

/** A row of a journal: an event, and the states before and after it. */
export interface Taken {
  readonly type: string;
  readonly from: string;
  readonly to: string;
}

/** The way of an actor through its diagram. */
export interface Way {
  readonly states: ReadonlySet<string>;
  /** The arrows in the order in which they were taken first, with the events that took them. */
  readonly edges: ReadonlyMap<DiagramEdge, ReadonlySet<string>>;
}

/** True if the state is the outer one or is inside of it. */
export function isWithin(state: string, outer: string): boolean {
  return state === outer || state.startsWith(`${outer}.`);
}

/**
 * The states and arrows that a journal has passed. An arrow of an outer state is passed from any of its inner states.
 */
export function wayOf(diagram: Diagram, journal: readonly Taken[]): Way {
  const passed = journal.flatMap(({ from, to }) => [from, to]);
  const states = diagram.states.filter(({ id }) => passed.some((state) => isWithin(state, id)));
  const edges = new Map<DiagramEdge, ReadonlySet<string>>();
  for (const step of journal) {
    const taken = step.from === step.to ? [] : diagram.edges.filter((edge) => isStepOf(edge, step));
    for (const edge of taken) edges.set(edge, new Set([...(edges.get(edge) ?? []), step.type]));
  }
  return { states: new Set(states.map(({ id }) => id)), edges };
}

function isStepOf({ from, to, labels }: DiagramEdge, step: Taken): boolean {
  return isWithin(step.from, from) && isWithin(step.to, to) && labels.some(({ event }) => event === step.type);
}

/** The arrows that are lit: the one of the last step, else all that lead away from the present state. */
export function litEdges(diagram: Diagram, current: string | null, previous: string | null): DiagramEdge[] {
  if (current === null) return [];
  return diagram.edges.filter(({ from, to }) =>
    previous === null ? isWithin(current, from) && from !== to : isWithin(previous, from) && isWithin(current, to),
  );
}

/** The different events of an arrow, with their meanings. */
export function eventsOf({ labels }: DiagramEdge): (readonly [event: string, words: string])[] {
  return [...new Map(labels.map(({ event, words }) => [event, words]))];
}
