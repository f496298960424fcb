import { z } from 'zod';
import { rowsOf } from '../store/actors/heads.ts';
import type { ActorDoc, JournalRow, LogRow } from '../store/documents.ts';
import type { Store } from '../store/port.ts';

export const actorKind = z.enum(['subscription', 'payment']);

/** The type of the event that stands for the archived rows of an actor. */
export const ARCHIVED = 'rows.archived';

const ROWS_READ = 1_000;

/** An actor's whole journal up to the document, in order. It begins with the row that stands for archived ones. */
export async function journalOf(
  store: Pick<Store, 'records'>,
  doc: Pick<ActorDoc, '_id' | 'rev' | 'partition'>,
): Promise<JournalRow[]> {
  return journalIn(await logOf(store, doc)).filter(({ rev }) => rev <= doc.rev);
}

/** All stored rows of an actor, in order. */
export async function logOf(
  { records }: Pick<Store, 'records'>,
  { _id, partition }: Pick<ActorDoc, '_id' | 'partition'>,
): Promise<LogRow[]> {
  const log: LogRow[] = [];
  for (let { gt, lt } = rowsOf(_id); ; ) {
    const where = { partition, _id: { gt, lt } };
    const rows = await records.find('log', { where, sort: [['_id', 1]], limit: ROWS_READ });
    log.push(...rows);
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_READ) return log;
    gt = last._id;
  }
}

/** The journal in these rows. An archived row that is still stored counts once. */
export function journalIn(log: readonly LogRow[]): JournalRow[] {
  const journal: JournalRow[] = [];
  for (const row of log) journal.push(...eventsOf(row, journal.at(-1)?.to ?? null));
  const [first] = journal;
  return first?.event.type === ARCHIVED ? [first, ...journal.filter(({ rev }) => rev > first.rev)] : journal;
}

function eventsOf({ rev, op, events }: LogRow, before: JournalRow['from']): JournalRow[] {
  const first = rev - events.length + 1;
  return events.map((logged, index) => {
    const from = events[index - 1]?.to ?? before;
    return { ...logged, rev: first + index, from, op };
  });
}
