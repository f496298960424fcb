import type { Collections } from '../../store/collections.ts';
import type { RecordStore, Where } from '../../store/port.ts';

/** The documents in a page; the last page has fewer. */
export const PAGE = 1_000;

/**
 * The documents that match `where` and were made at `since` or later, oldest first, in pages. A page begins at the
 * moment at which the one before it ended: counted skips would miss some when others are deleted or renewed. Only
 * documents of the same moment are counted.
 */
export async function* pagesSince<C extends 'watches' | 'merchants'>(
  records: Pick<RecordStore, 'find'>,
  collection: C,
  where: Where,
  since: Date,
): AsyncGenerator<readonly Collections[C][], undefined> {
  for (let from = since, start = 0; ; ) {
    const page: readonly Collections[C][] = await records.find(collection, {
      where: { ...where, createdAt: { gte: from } },
      sort: [['createdAt', 1]],
      start,
      limit: PAGE,
    });
    yield page;
    const last = page.at(-1)?.createdAt ?? from;
    if (page.length < PAGE) return;
    start = last.getTime() === from.getTime() ? start + PAGE : 0;
    from = last;
  }
}
