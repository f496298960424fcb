import type { Effect } from '../../machines/effects.ts';
import type { JsonObject } from '../../machines/json.ts';
import type { MachineFamily } from '../../machines/versions.ts';
import type { ActorDoc, OutboxItem } from '../store/documents.ts';
import { canonicalState, hashOf } from './canonical.ts';
import { actorTime, projectionOf } from './projection.ts';
import { type Sender, type StoredState, step } from './step.ts';

/** One event about to be taken by a document in memory. */
export interface Incoming {
  readonly event: { readonly type: string };
  readonly by: string;
  readonly sender: Sender | null;
}

export interface Taking {
  readonly op: string;
  readonly now: Date;
  readonly admits: Admits;
}

/** Whether an effect is to be carried out for the owner of a document: what nobody asked for is decided and journaled, no more. */
export type Admits = (effect: Effect, doc: Pick<ActorDoc, 'merchantId' | 'mode'>) => boolean;

export type Advance =
  | {
      readonly outcome: 'taken';
      readonly doc: ActorDoc;
      readonly items: readonly OutboxItem[];
      readonly effects: readonly Effect[];
    }
  | { readonly outcome: 'unchanged' }
  /** The event is not of the machine's shape: the sender's mistake, and no fault of the document. */
  | { readonly outcome: 'malformed'; readonly why: string }
  | { readonly outcome: 'refused' };

/**
 * What a document becomes by one event, in memory: next state, journal row and effects, with `rev` one higher. A journal row
 * travels in the outbox like every other effect, so that it is written in the same write as the state it tells of. The first
 * event is always taken: its row is what a replay begins with.
 */
export function advance(
  family: MachineFamily,
  doc: ActorDoc,
  incoming: Incoming,
  { op, now, admits }: Taking,
): Advance {
  const { current } = family;
  const before: StoredState = { value: doc.value, context: doc.context };
  const parsed = current.event.safeParse({ ...incoming.event, now: actorTime(now, doc.clockOffsetMs) });
  if (!parsed.success) return { outcome: 'malformed', why: `${incoming.event.type}: ${parsed.error.message}` };
  const event = parsed.data;
  const stepped = step(current, before, event, incoming.sender);
  if (stepped.taken === 'before') return { outcome: 'unchanged' };
  if (!stepped.taken) return { outcome: 'refused' };
  const { state, effects } = stepped;
  const isFirst = doc.rev === 0;
  if (!isFirst && effects.length === 0 && canonicalState(state) === canonicalState(before)) {
    return { outcome: 'unchanged' };
  }

  const rev = doc.rev + 1;
  const row = { event, incoming, from: before.value, state, effects, op, version: current.version };
  const journal = family.journaled ? [journalRow(doc, rev, row)] : [];
  const items = outboxItems(doc, rev, [...journal, ...effects.filter((effect) => admits(effect, doc))], now);
  const numbered = items.filter((item) => item.sequence !== null).length;
  return {
    outcome: 'taken',
    effects,
    items,
    doc: {
      ...doc,
      ...state,
      ...projectionOf(state),
      rev,
      machineVersion: current.version,
      eventSeq: doc.eventSeq + numbered,
      outbox: [...doc.outbox, ...items],
      updatedAt: now,
    },
  };
}

interface Row {
  readonly event: { readonly type: string; readonly now: string };
  readonly incoming: Incoming;
  readonly from: ActorDoc['value'];
  readonly state: StoredState;
  readonly effects: readonly Effect[];
  readonly op: string;
  readonly version: number;
}

function journalRow(doc: ActorDoc, rev: number, row: Row): JsonObject & { type: string } {
  return {
    type: 'journal',
    _id: `${doc._id}:${rev}`,
    actorId: doc._id,
    kind: doc.kind,
    rev,
    at: row.event.now,
    event: row.event,
    by: row.incoming.by,
    sender: row.incoming.sender && { id: row.incoming.sender.id, mark: row.incoming.sender.mark },
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
