import {
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type EventObject,
} from 'xstate';

export type Actions = Parameters<AnyActorScope['actionExecutor']>[0][];

const scopes = new WeakMap<AnyStateMachine, AnyActorScope>();

/**
 * As XState's `transition`, but with one actor per machine in place of one per call, which would take longer than the
 * transition. The actor has nothing to do: the machines here spawn and send nothing, and only return their actions.
 */
export function inertTransition(
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
  event: EventObject,
): [AnyMachineSnapshot, Actions] {
  const actions: Actions = [];
  const actionExecutor = (action: Actions[number]) => void actions.push(action);
  return [machine.transition(snapshot, event, { ...scopeOf(machine), actionExecutor }), actions];
}

function scopeOf(machine: AnyStateMachine): AnyActorScope {
  const known = scopes.get(machine);
  if (known) return known;
  const self = createActor(machine);
  const nothing = () => {};
  const { system } = self;
  const still = { defer: nothing, logger: nothing, stopChild: nothing, emit: nothing, actionExecutor: nothing };
  const scope: AnyActorScope = { self, system, id: '', sessionId: '', ...still };
  scopes.set(machine, scope);
  return scope;
}
