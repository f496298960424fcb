import { z } from 'zod';
import type { JournalPage, JournalRow, StoredActor } from '../store/documents.ts';
import type { Store } from '../store/port.ts';
import { isJournal } from './projection.ts';

export const actorKind = z.enum(['subscription', 'payment']);

/** A document with as many rows turns the page at its next event. Most payments end with fewer. */
const ROWS_MAX = 8;

/** The most pages in one read. */
const PAGES_READ = 500;

/** The page with the rows in a document that has too many; null: it takes more rows. */
export function pageOf({ _id: actorId, journal: rows }: StoredActor): JournalPage | null {
  const last = rows.at(-1);
  return last === undefined || rows.length < ROWS_MAX
    ? null
    : { _id: `${actorId}:${last.rev}`, actorId, rev: last.rev, rows };
}

/**
 * Stores pages. A stored page never changes, so one that exists is done. Throws an Error if another document has its
 * id.
 */
export async function writePages({ records }: Store, pages: readonly JournalPage[]): Promise<void> {
  if (pages.length === 0) return;
  const verdicts = await records.insert('journal', pages);
  const taken = verdicts.find((verdict) => !verdict.inserted && verdict.index !== '_id');
  if (taken) throw new Error(`a page of the journal was not stored: ${JSON.stringify(taken)}`);
}

/**
 * An actor's whole journal up to the document, in order. After the death of a process two pages may have the same rows.
 */
export async function journalOf({ records }: Store, doc: StoredActor): Promise<JournalRow[]> {
  const rows = new Map<number, JournalRow>();
  for (let rev = 0; ; ) {
    const where = { actorId: doc._id, rev: { gt: rev } };
    const pages = await records.find('journal', { where, sort: [['rev', 1]], limit: PAGES_READ });
    for (const row of pages.flatMap(({ rows: paged }) => paged)) rows.set(row.rev, row);
    const last = pages.at(-1);
    if (last === undefined || pages.length < PAGES_READ) break;
    rev = last.rev;
  }
  for (const row of isJournal(doc.journal) ? doc.journal : []) rows.set(row.rev, row);
  return [...rows.values()].filter(({ rev }) => rev <= doc.rev).sort((one, other) => one.rev - other.rev);
}
