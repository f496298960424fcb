import type { Collections } from './collections.ts';
import type { CollectionName, RecordStore } from './port.ts';

const PAGE = 500;

/** All documents of a collection, some at a time, in the order of their ids. */
export async function* pagesOf<C extends CollectionName>(
  records: RecordStore,
  from: C,
): AsyncGenerator<readonly Collections[C][], void> {
  for (let after: string | null = null; ; ) {
    const page: readonly Collections[C][] = await records.find(from, {
      where: after === null ? {} : { _id: { gt: after } },
      sort: [['_id', 1]],
      limit: PAGE,
    });
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last._id;
  }
}
