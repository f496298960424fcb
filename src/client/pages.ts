import type { CallOptions } from './call.ts';

/** What every list takes (reference, section 8: Pagination). */
interface PageQuery {
  readonly limit?: number | undefined;
  readonly start?: number | undefined;
}

type List<Query, Page> = (query?: Partial<Query>, options?: CallOptions) => Promise<Page>;

const PAGE_LIMIT = 100;

/**
 * Goes through a list to its end, a page at a time, newest first. `limit` is the size of a page (100 unless it is said),
 * `start` where to begin.
 *
 * What is created meanwhile moves the rest further back: nothing comes twice for that. What is deleted meanwhile moves it
 * forward: as many others may be missed.
 */
export function pages<
  Query extends PageQuery,
  Key extends string,
  Page extends { readonly [K in Key]: readonly { readonly id: string }[] },
>(list: List<Query, Page>, key: Key) {
  return async function* all(
    query: Partial<Query> = {},
    options?: CallOptions,
  ): AsyncGenerator<Page[Key][number], void, undefined> {
    const seen = new Set<string>();
    const limit = query.limit ?? PAGE_LIMIT;
    for (let start = query.start ?? 0; ; start += limit) {
      const page = await list({ ...query, limit, start }, options);
      for (const item of page[key]) {
        if (!seen.has(item.id)) yield item;
        seen.add(item.id);
      }
      if (page[key].length < limit) return;
    }
  };
}
