import type { Effect } from '../../machines/effects.ts';
import type { JsonObject } from '../../machines/json.ts';
import type { MachineFamily, Machines, MachineVersion } from '../../machines/versions.ts';
import type { ActorDoc, LoggedEvent, OutboxItem, Quarantine, StoredActor } from '../store/documents.ts';
import { hashOf, isSameState } from './canonical.ts';
import { actorTime, projectionOf, wakeRevOf } from './projection.ts';
import { type Sender, type StoredState, step } from './step.ts';
import type { SentBy } from './types.ts';
import {
  UPCAST,
  type UpcastEvent,
  upcast,
  versionOf,
  versionsOf,
  type WriteVersions,
  writtenVersion,
} from './upcast.ts';

/** The events of a quarantine and of its end. They change no snapshot. */
export const QUARANTINED = 'actor.quarantined';
export const RELEASED = 'actor.released';

/** One event for a document in memory. */
export interface Incoming {
  readonly event: { readonly type: string };
  readonly by: SentBy;
  readonly sender: Sender | null;
  /** The event is already in the shape of the document's version, so it needs no check. */
  readonly isShaped?: true;
}

export interface Taking {
  readonly now: Date;
  readonly admits: Admits;
  readonly follows?: Follows | undefined;
  readonly writes: WriteVersions;
  /** Whether the machine's next step is checked (`step`). Absent: each one is. */
  readonly isChecked?: (() => boolean) | undefined;
}

/**
 * The effects that follow from a change of a document, whichever event changed it. They are stored with the change,
 * like the machine's own effects. The logged event leaves them out, because the two states, `effects`, what the
 * machine has decided, and its sender show them.
 */
export type Follows = (before: ActorDoc, after: ActorDoc, effects: readonly Effect[], by: SentBy) => readonly Effect[];

/** True if an effect runs for the owner of a document. Other effects are decided and journaled, and do not run. */
export type Admits = (effect: Effect, doc: Owned) => boolean;

/** The fields of a document that exist before its first event: its kind and its owner. */
export type Owned = Pick<ActorDoc, 'kind' | 'merchantId' | 'mode'>;

/**
 * Called once before a batch takes its events, with its documents, to read what `admits` needs for all of them. An
 * error fails the batch.
 */
export type BeforeBatch = (docs: readonly Owned[]) => Promise<void>;

export type Advance =
  | {
      readonly outcome: 'taken';
      readonly doc: StoredActor;
      readonly logged: readonly LoggedEvent[];
      readonly items: readonly OutboxItem[];
      readonly effects: readonly Effect[];
    }
  | { readonly outcome: 'unchanged' }
  /** The event does not have the machine's shape: the sender's mistake. The document is sound. */
  | { readonly outcome: 'malformed'; readonly why: string }
  | { readonly outcome: 'refused' };

/**
 * Applies one event to a document, in memory: next state, logged event and effects, with `rev` one higher. The first
 * event is always taken: a replay begins with it.
 *
 * A document of an older version than the written one is upcast before the event: one more logged event and `rev`, in
 * the same write. A document of a newer version takes the event in its own version. `snapshot.upcast` does the upcast
 * only. Throws an UnknownVersion, and any error of the machine.
 */
export function advance(machines: Machines, stored: StoredActor, incoming: Incoming, taking: Taking): Advance {
  const { now, admits, isChecked } = taking;
  const { doc, logged, version } = lift(machines, stored, taking);
  if (incoming.event.type === UPCAST) return lifted(doc, logged);
  const reported = { ...incoming.event, now: actorTime(now, doc.clockOffsetMs) };
  const parsed = incoming.isShaped ? ({ success: true, data: reported } as const) : version.event.safeParse(reported);
  if (!parsed.success) {
    if (isOfLater(machines[stored.kind], version, reported)) return { outcome: 'refused' };
    return { outcome: 'malformed', why: `${incoming.event.type}: ${parsed.error.message}` };
  }
  const event = parsed.data;
  const stepped = step(version, doc, event, incoming.sender, isChecked?.());
  if (stepped.taken === 'before') return { outcome: 'unchanged' };
  if (!stepped.taken) return { outcome: 'refused' };
  const { state, effects } = stepped;
  const isFirst = doc.rev === 0;
  if (!isFirst && effects.length === 0 && isSameState(state, doc)) {
    return { outcome: 'unchanged' };
  }

  const after = inState(doc, state, doc.rev + 1, now);
  const following = isFirst ? [] : (taking.follows?.(doc, after, effects, incoming.by) ?? []);
  const admitted = [...effects.filter((effect) => admits(effect, doc)), ...following];
  const items = outboxItems(after, admitted, now);
  const numbered = items.filter((item) => item.sequence !== null).length;
  const { by, sender } = incoming;
  return {
    outcome: 'taken',
    effects,
    items,
    logged: [...logged, loggedEvent({ event, by, sender, state, effects, version: version.version })],
    doc: { ...after, eventSeq: doc.eventSeq + numbered },
  };
}

function inState(doc: StoredActor, state: StoredState, rev: number, now: Date): StoredActor {
  const projection = projectionOf(state);
  return { ...doc, ...state, ...projection, wakeRev: wakeRevOf(doc, projection.wakeAt, rev), rev, updatedAt: now };
}

/** The outcome of `snapshot.upcast`. `updatedAt` does not change. */
function lifted(doc: StoredActor, logged: readonly LoggedEvent[]): Advance {
  return logged.length === 0 ? { outcome: 'unchanged' } : { outcome: 'taken', effects: [], items: [], logged, doc };
}

interface Lifted extends Relogged {
  readonly version: MachineVersion;
}

/** The document in the written version, or in its own if that is newer: a version never goes back. */
function lift(machines: Machines, doc: StoredActor, { now, writes }: Taking): Lifted {
  const from = versionOf(machines, doc);
  const family = machines[doc.kind];
  const written = writtenVersion(machines, writes, doc.kind);
  if (doc.machineVersion >= written) return { doc, logged: [], version: from };
  const state = upcast(family, from, written, { value: doc.value, context: doc.context });
  const lifted = withSnapshot(doc, { state, version: written }, { by: 'engine', now });
  return { ...lifted, version: versionOf(machines, lifted.doc) };
}

/** A document after events that a commit logs. */
interface Relogged {
  readonly doc: StoredActor;
  readonly logged: readonly LoggedEvent[];
}

/**
 * A document with a new snapshot, `rev` one higher, and the event that has the whole snapshot: a replay continues from
 * it.
 */
export function withSnapshot(
  doc: StoredActor,
  { state, version }: { readonly state: StoredState; readonly version: number },
  { by, now }: { readonly by: SentBy; readonly now: Date },
): Relogged {
  const rev = doc.rev + 1;
  // Another timer, so that processes which do not know the new version leave it to others.
  const moved = { ...inState(doc, state, rev, doc.updatedAt), machineVersion: version, wakeRev: rev };
  const event: UpcastEvent = {
    type: UPCAST,
    now: actorTime(now, moved.clockOffsetMs),
    fromVersion: doc.machineVersion,
    toVersion: version,
    snapshot: state,
  };
  return { doc: moved, logged: [loggedEvent({ event, by, sender: null, state, effects: [], version })] };
}

/** A document that is set apart, or (null) back in use, `rev` one higher, and the event that says so. */
export function withQuarantine(
  doc: StoredActor,
  quarantine: Quarantine | null,
  { by, now }: { readonly by: SentBy; readonly now: Date },
): Relogged {
  const event = {
    type: quarantine === null ? RELEASED : QUARANTINED,
    now: actorTime(now, doc.clockOffsetMs),
    ...(quarantine === null ? {} : { reason: quarantine.reason }),
  };
  const state = { value: doc.value, context: doc.context };
  const logged = loggedEvent({ event, by, sender: null, state, effects: [], version: doc.machineVersion });
  return { doc: { ...doc, quarantine, rev: doc.rev + 1 }, logged: [logged] };
}

function isOfLater(family: MachineFamily, { version }: MachineVersion, event: object): boolean {
  return versionsOf(family).some((later) => later.version > version && later.event.safeParse(event).success);
}

interface Logging {
  readonly event: LoggedEvent['event'];
  readonly by: SentBy;
  readonly sender: Sender | null;
  readonly state: StoredState;
  readonly effects: readonly Effect[];
  readonly version: number;
}

function loggedEvent({ event, by, sender, state, effects, version }: Logging): LoggedEvent {
  return {
    event,
    ...(typeof by === 'string' ? { by } : { by: by.by, reason: by.reason }),
    ...(sender === null ? {} : { sender: { id: sender.id, mark: sender.mark } }),
    to: state.value,
    effects: effects.map(nameOf),
    version,
    hash: hashOf(state, effects),
  };
}

/** The name of the webhook event that an effect emits; of other effects, the type. */
export function nameOf(effect: Effect): string {
  return effect.type === 'webhook.emit' ? effect.event : effect.type;
}

function outboxItems(
  { _id, rev, eventSeq }: ActorDoc,
  effects: readonly (JsonObject & { readonly type: string })[],
  at: Date,
): OutboxItem[] {
  let sequence = eventSeq;
  return effects.map((effect, index) => {
    if (effect.type === 'webhook.emit') sequence += 1;
    const number = effect.type === 'webhook.emit' ? sequence : null;
    return { id: `${_id}:${rev}:${index}`, rev, index, at, sequence: number, effect };
  });
}
