import type { ActorDoc, OutboxItem } from '../store/documents.ts';

/**
 * Why the lists that every write adds to cannot be added to, or null. One document that has lost such a list would be the
 * failure of the whole batch that it is written in.
 */
export function brokenListOf({ outbox, recentOps }: Pick<ActorDoc, 'outbox' | 'recentOps'>): string | null {
  if (!isOutbox(outbox)) return 'its outbox is no list of effects';
  return Array.isArray(recentOps) ? null : 'its recentOps are no list';
}

/** Whether what is stored as an outbox can be read as one: that it was written as such does not say that it still is. */
export function isOutbox(stored: unknown): stored is readonly OutboxItem[] {
  return Array.isArray(stored) && stored.every(isItem);
}

function isItem(item: Partial<OutboxItem> | null): boolean {
  return typeof item?.id === 'string' && typeof item.effect?.type === 'string';
}
