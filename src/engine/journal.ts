import { z } from 'zod';
import { rowsOf } from '../store/actors/rows.ts';
import type { ActorDoc, JournalRow, LogRow } from '../store/documents.ts';
import type { Store } from '../store/port.ts';

export const actorKind = z.enum(['subscription', 'payment']);

/** The most rows in one read. */
const ROWS_READ = 1_000;

/** An actor's whole journal up to the document, in order. */
export async function journalOf(
  { records }: Store,
  doc: Pick<ActorDoc, '_id' | 'rev' | 'partition'>,
): Promise<JournalRow[]> {
  const journal: JournalRow[] = [];
  for (let { gt, lt } = rowsOf(doc._id); ; ) {
    const where = { partition: doc.partition, _id: { gt, lt } };
    const rows = await records.find('log', { where, sort: [['_id', 1]], limit: ROWS_READ });
    for (const row of rows) journal.push(...eventsOf(row, journal.at(-1)?.to ?? null));
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_READ) break;
    gt = last._id;
  }
  return journal.filter(({ rev }) => rev <= doc.rev);
}

function eventsOf({ rev, op, events }: LogRow, before: JournalRow['from']): JournalRow[] {
  const first = rev - events.length + 1;
  return events.map((logged, index) => {
    const from = events[index - 1]?.to ?? before;
    return { ...logged, rev: first + index, from, op };
  });
}
