import type { JournalRow, OutboxItem, StoredActor } from '../store/documents.ts';

/**
 * Why a write cannot add to the lists of a document; null: it can. Without this check one broken document would fail
 * the whole batch of its write.
 */
export function brokenListOf({ outbox, recentOps, journal }: StoredActor): string | null {
  if (!isOutbox(outbox)) return 'its outbox is no list of effects';
  if (!isJournal(journal)) return 'its journal is no list of rows';
  return Array.isArray(recentOps) ? null : 'its recentOps are no list';
}

/** True if a stored outbox is a list of effects; somebody may have damaged it in the database. */
export function isOutbox(stored: unknown): stored is readonly OutboxItem[] {
  return Array.isArray(stored) && stored.every(isItem);
}

/** True if the stored journal is a list of rows; somebody may have damaged it in the database. */
export function isJournal(stored: unknown): stored is readonly JournalRow[] {
  return Array.isArray(stored) && stored.every(isRow);
}

function isRow(row: Partial<JournalRow> | null): boolean {
  return typeof row?.rev === 'number' && typeof row.event?.type === 'string';
}

function isItem(item: Partial<OutboxItem> | null): boolean {
  return typeof item?.id === 'string' && typeof item.effect?.type === 'string';
}
