import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import type { Json, JsonObject } from '../../machines/json.ts';
import type { MachineVersion } from '../../machines/versions.ts';
import { guardOf, guardText, idOf } from './diagram.ts';
import type { StoredState } from './step.ts';

/** One named guard of a transition. `isNegated`: it must not hold. `isFulfilled`: it is as the transition needs it. */
export interface GuardVerdict {
  readonly name: string;
  readonly isNegated: boolean;
  readonly isFulfilled: boolean;
}

/** One transition that a machine considers for an event. */
export interface Candidate {
  readonly guards: readonly GuardVerdict[];
  readonly isFulfilled: boolean;
}

type Timed = { readonly type: string; readonly now: string };

/**
 * The transitions that a machine considers for an event in a stored state, in its order: the innermost state first, and
 * in each state from first to last. The machine takes the first one that is fulfilled. Here all are checked. Empty: the
 * state has no transition for the event.
 */
export function candidatesFor(version: MachineVersion, stored: StoredState, event: Timed): Candidate[] {
  const { machine } = version;
  const context = version.context.parse(stored.context);
  return activeNodes(machine, stored.value).flatMap((node) =>
    (node.transitions.get(event.type) ?? []).map((transition) => candidateOf(machine, transition, context, event)),
  );
}

/** The states of a stored value: the innermost first, without the root. */
export function activePath(
  machine: AnyStateMachine,
  value: Json,
): { readonly id: string; readonly description: string | null }[] {
  return activeNodes(machine, value)
    .filter(({ path }) => path.length > 0)
    .map((node) => ({ id: idOf(node), description: node.description ?? null }));
}

/** The ids of all states that have a transition for an event type. */
export function statesTaking(machine: AnyStateMachine, type: string): string[] {
  const all = (node: AnyStateNode): AnyStateNode[] => [node, ...Object.values(node.states).flatMap(all)];
  return all(machine.root)
    .filter((node) => node.transitions.has(type))
    .map(idOf);
}

function activeNodes(machine: AnyStateMachine, value: Json): AnyStateNode[] {
  const nodes: AnyStateNode[] = [machine.root];
  for (let [node, rest]: [AnyStateNode, Json] = [machine.root, value]; ; ) {
    const name = typeof rest === 'string' ? rest : Object.keys(Object(rest))[0];
    const child = name === undefined ? undefined : node.states[name];
    if (name === undefined || !child) throw new Error(`${machine.id} has no state ${JSON.stringify(value)}`);
    nodes.unshift(child);
    if (typeof rest === 'string' || rest === null || typeof rest !== 'object') return nodes;
    const inner: Json | undefined = Object.values(rest)[0];
    if (inner === undefined) return nodes;
    [node, rest] = [child, inner];
  }
}

function candidateOf(
  machine: AnyStateMachine,
  { guard }: AnyTransitionDefinition,
  context: JsonObject,
  event: Timed,
): Candidate {
  const guards = verdictsOf(machine, guard, false, context, event);
  return {
    guards,
    isFulfilled: guards.every(({ isFulfilled }) => isFulfilled),
  };
}

/**
 * The named guards in a guard: every part of `and`, and the negated part of `not`. Throws for `not` of several parts.
 */
function verdictsOf(
  machine: AnyStateMachine,
  guard: unknown,
  isNegated: boolean,
  context: JsonObject,
  event: Timed,
): GuardVerdict[] {
  const { name, parts, isNot } = guardOf(guard);
  if (name !== null) {
    const holds = evaluate(machine, name, context, event);
    return [{ name, isNegated, isFulfilled: holds !== isNegated }];
  }
  if ((isNot || isNegated) && parts.length > 1) throw new Error(`cannot tell the parts of ${guardText(guard)} apart`);
  return parts.flatMap((part) => verdictsOf(machine, part, isNegated !== isNot, context, event));
}

function evaluate(machine: AnyStateMachine, name: string, context: JsonObject, event: Timed): boolean {
  const guard: unknown = Object(machine.implementations.guards)[name];
  if (typeof guard !== 'function') throw new Error(`${machine.id} has no guard ${name}`);
  return guard({ context, event }, undefined) === true;
}
