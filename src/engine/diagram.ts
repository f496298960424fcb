import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';

/** One state, not the root. `id` is its path, such as `past_due.waiting`. */
export interface DiagramState {
  readonly id: string;
  readonly key: string;
  /** The id of the state around it; null: none. */
  readonly parent: string | null;
  readonly description: string | null;
  /** True if the state around it begins in this one. */
  readonly isInitial: boolean;
}

/** An event on an arrow. `guard`: the names of the guards that must hold; null: none. */
export interface DiagramLabel {
  readonly event: string;
  readonly guard: string | null;
}

interface DiagramEdge {
  readonly from: string;
  readonly to: string;
  readonly labels: readonly DiagramLabel[];
}

/** A machine as a graph, without transitions that have no target. */
export interface Diagram {
  readonly states: readonly DiagramState[];
  readonly edges: readonly DiagramEdge[];
}

export function diagramOf(machine: AnyStateMachine): Diagram {
  const nodes = descendantsOf(machine.root);
  return {
    states: nodes.slice(1).map(stateOf),
    edges: edgesOf(nodes),
  };
}

/** The path of a state; for the root: the name of its machine. */
export function idOf(node: AnyStateNode): string {
  return node.path.length === 0 ? node.key : node.path.join('.');
}

/** The text of a guard, such as `isDue and not isCancelDue`; empty: no guard. */
export function guardText(guard: unknown): string {
  const { name, parts, isNot } = guardOf(guard);
  if (name !== null) return name;
  const texts = parts.map(guardText);
  return isNot ? `not ${texts.join('')}` : texts.join(' and ');
}

/** Takes a guard apart: a name, or parts. All parts must hold (`and`), or its one part must not (`isNot`). */
export function guardOf(guard: unknown): {
  readonly name: string | null;
  readonly parts: readonly unknown[];
  readonly isNot: boolean;
} {
  if (typeof guard === 'string') return { name: guard, parts: [], isNot: false };
  if (guard === null || guard === undefined) return { name: null, parts: [], isNot: false };
  const inner = 'guards' in Object(guard) ? Object(guard).guards : null;
  if (Array.isArray(inner)) return { name: null, parts: inner, isNot: Object(guard).check?.name === 'checkNot' };
  return { name: 'type' in Object(guard) ? String(Object(guard).type) : '', parts: [], isNot: false };
}

function descendantsOf(node: AnyStateNode): AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap(descendantsOf)];
}

function stateOf(node: AnyStateNode): DiagramState {
  const { parent } = node;
  return {
    id: idOf(node),
    key: node.key,
    parent: parent === undefined || parent.path.length === 0 ? null : idOf(parent),
    description: node.description ?? null,
    isInitial: parent?.initial.target?.[0] === node,
  };
}

/** Transitions between the same two states share one arrow. */
function edgesOf(nodes: readonly AnyStateNode[]): DiagramEdge[] {
  const edges = new Map<string, { from: string; to: string; labels: Map<string, DiagramLabel> }>();
  for (const node of nodes) {
    for (const transition of [...node.transitions.values()].flat()) {
      const [target] = transition.target ?? [];
      if (!target) continue;
      const [from, to] = [idOf(node), idOf(target)];
      const edge = edges.get(`${from} ${to}`) ?? { from, to, labels: new Map() };
      const label = labelOf(transition);
      edge.labels.set(`${label.event} ${label.guard}`, label);
      edges.set(`${from} ${to}`, edge);
    }
  }
  return [...edges.values()].map(({ from, to, labels }) => ({ from, to, labels: [...labels.values()] }));
}

function labelOf({ eventType, guard }: AnyTransitionDefinition): DiagramLabel {
  return { event: eventType, guard: guardText(guard) || null };
}
