import type { CallOptions } from './call.ts';

/** The parameters of every list (reference, section 8: Pagination). */
interface PageQuery {
  readonly limit?: number | undefined;
  readonly start?: number | undefined;
  readonly startingAfter?: string | undefined;
  /** Of events. */
  readonly order?: 'asc' | 'desc' | undefined;
  readonly after?: string | undefined;
}

type List<Query, Page> = (query?: Partial<Query>, options?: CallOptions) => Promise<Page>;

const PAGE_LIMIT = 100;

/**
 * Reads a list to its end, a page at a time, newest first; events also oldest first, with `order: 'asc'`. `limit` is
 * the size of a page (default: 100), `start`, `startingAfter` or `after` the beginning.
 *
 * Each page begins after the last item of the previous one. So no item of the list at the beginning is missed or
 * repeated, even if items are created, changed or deleted meanwhile: the loop may change a property that its own filter
 * uses.
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
      from = query.order === 'asc' ? { after: last.id } : { start: undefined, startingAfter: last.id };
    }
  };
}
