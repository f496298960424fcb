import type { Machines } from '../../machines/versions.ts';
import { rowId } from '../store/actors/heads.ts';
import type { LoggedEvent, LogRow, StoredActor } from '../store/documents.ts';
import type { Store } from '../store/port.ts';
import { hashOf } from './canonical.ts';
import { ARCHIVED, journalIn, logOf } from './journal.ts';
import { type Replayed, replay, replayOf } from './replay.ts';
import type { UpcastEvent } from './upcast.ts';

/** The oldest rows of an actor, and the row that stands for them. */
export interface ArchivedRows {
  readonly actorId: string;
  /** Up to the revision of `base`. The first one may stand for rows that were archived earlier. */
  readonly rows: readonly LogRow[];
  readonly base: LogRow;
}

/** The id of the row that stands for archived rows: it comes before all others. */
function baseIdOf(actorId: string): string {
  return rowId(actorId, 0);
}

/**
 * The rows of an actor that were committed before this moment; null: fewer than two, or it waits for something. Its
 * head is at least as new as they are, so nobody reads them but a replay.
 * @throws ReplayError if its journal does not lead to its state: then no row may leave
 */
export async function rowsToArchive(
  store: Pick<Store, 'actors' | 'records'>,
  machines: Machines,
  doc: StoredActor,
  before: Date,
): Promise<ArchivedRows | null> {
  if (doc.quarantine !== null || doc.outbox.length > 0) return null;
  const log = (await logOf(store, doc)).filter(({ rev }) => rev <= doc.rev);
  const rows = olderOf(log, before);
  const last = rows.at(-1);
  if (last === undefined || rows.length < 2) return null;
  replayOf(machines, doc, journalIn(log));
  const reached = replay(machines, doc, journalIn(rows));
  await store.actors.writeHeads(doc.kind, [doc]);
  return { actorId: doc._id, rows, base: baseOf(doc, last, reached) };
}

/** The first rows, as far as they were committed before this moment. A row has its moment if that is a new one. */
function olderOf(log: readonly LogRow[], before: Date): LogRow[] {
  const newer = log.findIndex(({ set: { updatedAt } }) => updatedAt !== undefined && updatedAt >= before);
  return newer === -1 ? [...log] : log.slice(0, newer);
}

function baseOf({ _id, kind, partition }: StoredActor, { op, rev, events }: LogRow, reached: Replayed): LogRow {
  const { state, version } = reached;
  const now = events.at(-1)?.event.now ?? '';
  const event: UpcastEvent = { type: ARCHIVED, now, fromVersion: version, toVersion: version, snapshot: state };
  const logged: LoggedEvent = { event, by: 'archive', to: state.value, effects: [], version, hash: hashOf(state, []) };
  return { _id: baseIdOf(_id), kind, partition, op, rev, events: [logged], set: {}, context: {} };
}

/**
 * Removes archived rows. The row that stands for them is stored first. Any call may be repeated. False: another archive
 * has newer rows of the actor, or is restored meanwhile.
 */
export async function removeRows({ records }: Pick<Store, 'records'>, archived: ArchivedRows): Promise<boolean> {
  const { base, rows } = archived;
  const earlier = rows.find(({ _id }) => _id === base._id);
  const [stored] = await records.get('log', [base._id]);
  if (stored === undefined) {
    if (earlier !== undefined) return false;
    await records.insert('log', [base]);
  } else if (stored.rev !== base.rev) {
    const { rev, op, events } = base;
    const made = await records.change('log', base._id, { rev: earlier?.rev ?? -1 }, { set: { rev, op, events } });
    if (made === null) return false;
  }
  await records.remove(
    'log',
    rows.flatMap(({ _id }) => (_id === base._id ? [] : [_id])),
  );
  return true;
}

/**
 * Stores archived rows again. Any call may be repeated. False: a newer archive has rows of the actor, and has to be
 * restored first.
 */
export async function restoreRows({ records }: Pick<Store, 'records'>, archived: ArchivedRows): Promise<boolean> {
  const { base, rows } = archived;
  const earlier = rows.find(({ _id }) => _id === base._id);
  const [stored] = await records.get('log', [base._id]);
  if (stored !== undefined && stored.rev > base.rev) return false;
  await records.insert(
    'log',
    rows.filter(({ _id }) => _id !== base._id),
  );
  if (stored?.rev !== base.rev) return true;
  if (earlier === undefined) await records.remove('log', [base._id]);
  else {
    const { rev, op, events } = earlier;
    await records.change('log', base._id, { rev: base.rev }, { set: { rev, op, events } });
  }
  return true;
}
