import type { CallOptions } from './call.ts';

/** What every list takes (reference, section 8: Pagination). */
interface PageQuery {
  readonly limit?: number | undefined;
  readonly start?: number | undefined;
  readonly startingAfter?: string | undefined;
}

type List<Query, Page> = (query?: Partial<Query>, options?: CallOptions) => Promise<Page>;

const PAGE_LIMIT = 100;

/**
 * Goes through a list to its end, a page at a time, newest first. `limit` is the size of a page (100 unless it is said),
 * `start` or `startingAfter` where to begin.
 *
 * Each page begins behind the last one of the page before, so nothing that was in the list at the beginning is missed or
 * comes twice, whatever is created, changed or deleted meanwhile: the loop may change what its own filter asks for.
 */
export function pages<
  Query extends PageQuery,
  Key extends string,
  Page extends { readonly hasMore: boolean } & { readonly [K in Key]: readonly { readonly id: string }[] },
>(list: List<Query, Page>, key: Key) {
  return async function* all(
    query: Partial<Query> = {},
    options?: CallOptions,
  ): AsyncGenerator<Page[Key][number], void, undefined> {
    let from: PageQuery = {};
    for (;;) {
      const page = await list({ ...query, limit: query.limit ?? PAGE_LIMIT, ...from }, options);
      yield* page[key];
      const last = page[key].at(-1);
      if (!page.hasMore || last === undefined) return;
      from = { start: undefined, startingAfter: last.id };
    }
  };
}
