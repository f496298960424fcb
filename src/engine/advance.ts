import type { Effect } from '../../machines/effects.ts';
import type { JsonObject } from '../../machines/json.ts';
import type { MachineFamily, Machines, MachineVersion } from '../../machines/versions.ts';
import type { ActorDoc, JournalRow, OutboxItem, StoredActor } from '../store/documents.ts';
import { hashOf, isSameState } from './canonical.ts';
import { actorTime, projectionOf } from './projection.ts';
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

/** One event for a document in memory. */
export interface Incoming {
  readonly event: { readonly type: string };
  readonly by: SentBy;
  readonly sender: Sender | null;
  /** The event is already in the shape of the document's version, so it needs no check. */
  readonly isShaped?: true;
}

export interface Taking {
  readonly op: string;
  readonly now: Date;
  readonly admits: Admits;
  readonly follows?: Follows | undefined;
  readonly writes: WriteVersions;
  /** Whether the machine's next step is checked (`step`). Absent: each one is. */
  readonly isChecked?: (() => boolean) | undefined;
}

/**
 * The effects that follow from a change of a document, whichever event changed it. They are stored with the change,
 * like the machine's own effects. The journal's row leaves them out, because the two states show them. Pure.
 */
export type Follows = (before: ActorDoc, after: ActorDoc) => readonly Effect[];

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
      readonly items: readonly OutboxItem[];
      readonly effects: readonly Effect[];
    }
  | { readonly outcome: 'unchanged' }
  /** The event does not have the machine's shape: the sender's mistake. The document is sound. */
  | { readonly outcome: 'malformed'; readonly why: string }
  | { readonly outcome: 'refused' };

/**
 * Applies one event to a document, in memory: next state, journal row and effects, with `rev` one higher. The journal
 * row is in the document, so that one write stores it with the state that it reports. The first event is always taken:
 * a replay begins with its row.
 *
 * A document of an older version than the written one is upcast before the event: one more row and `rev`, in the same
 * write. A document of a newer version takes the event in its own version. `snapshot.upcast` does the upcast only.
 * Throws an UnknownVersion, and any error of the machine.
 */
export function advance(machines: Machines, stored: StoredActor, incoming: Incoming, taking: Taking): Advance {
  const { op, now, admits, isChecked } = taking;
  const { doc, version } = lift(machines, stored, taking);
  if (incoming.event.type === UPCAST) return lifted(stored, doc);
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

  const rev = doc.rev + 1;
  const { by, sender } = incoming;
  const row = { event, by, sender, from: doc.value, state, effects, op, version: version.version };
  const journal = [...doc.journal, journalRow(rev, row)];
  const after = { ...doc, ...state, ...projectionOf(state), rev, updatedAt: now };
  const following = isFirst ? [] : (taking.follows?.(doc, after) ?? []);
  const admitted = [...effects.filter((effect) => admits(effect, doc)), ...following];
  const items = outboxItems(doc, rev, admitted, now);
  const numbered = items.filter((item) => item.sequence !== null).length;
  return {
    outcome: 'taken',
    effects,
    items,
    doc: { ...after, journal, eventSeq: doc.eventSeq + numbered, outbox: [...doc.outbox, ...items] },
  };
}

/** The outcome of `snapshot.upcast`. `updatedAt` does not change. */
function lifted(stored: StoredActor, doc: StoredActor): Advance {
  return doc.rev === stored.rev ? { outcome: 'unchanged' } : { outcome: 'taken', effects: [], items: [], doc };
}

interface Lifted {
  readonly doc: StoredActor;
  readonly version: MachineVersion;
}

/** The document in the written version, or in its own if that is newer: a version never goes back. */
function lift(machines: Machines, doc: StoredActor, { op, now, writes }: Taking): Lifted {
  const from = versionOf(machines, doc);
  const family = machines[doc.kind];
  const written = writtenVersion(machines, writes, doc.kind);
  if (doc.machineVersion >= written) return { doc, version: from };
  const state = upcast(family, from, written, { value: doc.value, context: doc.context });
  const lifted = withSnapshot(doc, { state, version: written }, { by: 'engine', op, now });
  return { doc: lifted, version: versionOf(machines, lifted) };
}

/**
 * A document with a new snapshot, `rev` one higher, and the journal row with the whole snapshot: a replay continues
 * from it.
 */
export function withSnapshot(
  doc: StoredActor,
  { state, version }: { readonly state: StoredState; readonly version: number },
  { by, op, now }: { readonly by: SentBy; readonly op: string; readonly now: Date },
): StoredActor {
  const rev = doc.rev + 1;
  const projection = projectionOf(state);
  const event: UpcastEvent = {
    type: UPCAST,
    now: actorTime(now, projection.clockOffsetMs),
    fromVersion: doc.machineVersion,
    toVersion: version,
    snapshot: state,
  };
  const row = { event, by, sender: null, from: doc.value, state, effects: [], op, version };
  const journal = [...doc.journal, journalRow(rev, row)];
  return { ...doc, ...state, ...projection, rev, machineVersion: version, journal };
}

/** True if only a later version has this event; this version then refuses it. */
function isOfLater(family: MachineFamily, { version }: MachineVersion, event: object): boolean {
  return versionsOf(family).some((later) => later.version > version && later.event.safeParse(event).success);
}

interface Row {
  readonly event: JournalRow['event'] & { readonly now: string };
  readonly by: SentBy;
  readonly sender: Sender | null;
  readonly from: ActorDoc['value'];
  readonly state: StoredState;
  readonly effects: readonly Effect[];
  readonly op: string;
  readonly version: number;
}

function journalRow(rev: number, row: Row): JournalRow {
  return {
    rev,
    at: row.event.now,
    event: row.event,
    ...(typeof row.by === 'string' ? { by: row.by } : { by: row.by.by, reason: row.by.reason }),
    sender: row.sender && { id: row.sender.id, mark: row.sender.mark },
    from: row.from,
    to: row.state.value,
    effects: row.effects,
    machineVersion: row.version,
    hash: hashOf(row.state),
    op: row.op,
  };
}

function outboxItems(
  doc: ActorDoc,
  rev: number,
  effects: readonly (JsonObject & { readonly type: string })[],
  at: Date,
): OutboxItem[] {
  let sequence = doc.eventSeq;
  return effects.map((effect, index) => {
    if (effect.type === 'webhook.emit') sequence += 1;
    const number = effect.type === 'webhook.emit' ? sequence : null;
    return { id: `${doc._id}:${rev}:${index}`, rev, index, at, sequence: number, effect };
  });
}
