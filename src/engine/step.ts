import {
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type EventObject,
  initialTransition,
  type StateValue,
} from 'xstate';
import { z } from 'zod';
import { HEARD_SENDERS, type Mark } from '../../machines/actor.ts';
import { type Effect, effect } from '../../machines/effects.ts';
import { type Json, type JsonObject, json } from '../../machines/json.ts';
import type { MachineVersion, Snapshot } from '../../machines/versions.ts';
import { messageOf } from '../errors/message-of.ts';

export type StoredState = Snapshot;

/** Identifies a message between actors: its sender, and its position in the sender's history. */
export interface Sender {
  readonly id: string;
  readonly mark: Mark;
}

type Step =
  | { readonly taken: true; readonly state: StoredState; readonly effects: readonly Effect[] }
  /**
   * A message of this sender with this number, or a later one, was accepted: the message is acknowledged and changes
   * nothing.
   */
  | { readonly taken: 'before' }
  | { readonly taken: false };

const stateValue: z.ZodType<StateValue> = z.lazy(() => z.union([z.string(), z.record(z.string(), stateValue)]));
const action = z.object({ type: z.literal('effect'), params: effect });
const uncheckedAction = z.object({ type: z.literal('effect'), params: z.custom<Effect>() });
const heard = z.object({ heard: z.array(z.tuple([z.string(), z.tuple([z.int(), z.int()])])) });

/** The creation input of an actor, in the shape of a version. Throws a ZodError if it does not fit. */
export function inputOf(version: MachineVersion, made: JsonObject): JsonObject {
  return version.input ? version.input.parse(made) : version.context.parse(made);
}

/**
 * The state of an actor before its first event. `input` has the shape of the version. Every machine begins in one
 * state, with its input as its context (a test checks this), so that state is computed once.
 */
export function initialState(version: MachineVersion, input: JsonObject): StoredState {
  const context = version.context.parse(input);
  const value = beginnings.get(version) ?? json.parse(initialTransition(version.machine, context)[0].value);
  beginnings.set(version, value);
  return { value, context };
}

const beginnings = new WeakMap<MachineVersion, Json>();

/**
 * Applies one event. Pure: the same state and event always give the same next state and effects, so that journals can
 * be replayed. The event must have the version's shape. Throws a ZodError if the state does not, and any error of the
 * machine.
 * `isChecked`: throws a ZodError as well if the new state or an effect does not have its shape. The compiler holds the
 * machines to that, and a check takes as long as the decision, so a service checks one step in many (`oneIn`). Without
 * it, an unsound state is found when it is next read from the store, and an unsound effect before it runs.
 */
export function step(
  version: MachineVersion,
  stored: StoredState,
  event: { readonly type: string; readonly now: string },
  sender: Sender | null,
  isChecked = true,
): Step {
  const { context, snapshot } = restored(version, stored);
  if (sender && isOld(context, sender)) return { taken: 'before' };
  const [next, actions] = inertTransition(version.machine, snapshot, event);
  // XState returns the same snapshot for a refused event and for an accepted one that changes nothing.
  if (next === snapshot && actions.length === 0 && !snapshot.can(event)) return { taken: false };
  const made = sender ? withMark(next.context, sender) : next.context;
  return {
    taken: true,
    state: { value: json.parse(next.value), context: version.context[isChecked ? 'parse' : 'trust'](made) },
    effects: actions.map((each) => (isChecked ? action : uncheckedAction).parse(each).params),
  };
}

/** True at each `count`th call. A prime comes to every kind of step, however regular steps and batches are. */
export function oneIn(count = 97): () => boolean {
  let calls = 0;
  return () => ++calls % count === 0;
}

/**
 * True if the machine gives this tag to the stored state. Throws an Error for a state that the machine does not have.
 */
export function hasTag(version: MachineVersion, { value, context }: StoredState, tag: string): boolean {
  return version.machine.resolveState({ value: stateValue.parse(value), context }).hasTag(tag);
}

/**
 * Why a stored state can take no event: it does not have the version's shape, or the machine has no such state. null:
 * it can.
 */
export function unsoundness(version: MachineVersion, stored: StoredState): string | null {
  try {
    restored(version, stored);
    return null;
  } catch (error) {
    return `cannot be restored: ${messageOf(error)}`;
  }
}

function restored(version: MachineVersion, stored: StoredState) {
  const context = version.context.parse(stored.context);
  return { context, snapshot: version.machine.resolveState({ value: stateValue.parse(stored.value), context }) };
}

function isOld(context: JsonObject, sender: Sender): boolean {
  const mark = heard.parse(context).heard.find(([id]) => id === sender.id)?.[1];
  return mark !== undefined && !isAfter(sender.mark, mark);
}

function isAfter([rev, index]: Mark, [seenRev, seenIndex]: Mark): boolean {
  return rev > seenRev || (rev === seenRev && index > seenIndex);
}

function withMark(context: JsonObject, sender: Sender): JsonObject {
  const others = heard.parse(context).heard.filter(([id]) => id !== sender.id);
  return { ...context, heard: [...others, [sender.id, sender.mark] as const].slice(-HEARD_SENDERS) };
}

type Actions = Parameters<AnyActorScope['actionExecutor']>[0][];

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
