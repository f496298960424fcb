import type { TenantQuery, TenantWhere } from './tenant.ts';

/** How many are read at once. */
const PAGE = 250;

/** All documents of `find` that match `where`, by id. */
export async function* pagesOf<T extends { readonly _id: string }>(
  find: (query: TenantQuery) => Promise<T[]>,
  where: TenantWhere,
): AsyncGenerator<T[]> {
  for (let last = ''; ; ) {
    const page = await find({
      where: { ...where, _id: { gt: last } },
      sort: [['_id', 1]],
      limit: PAGE,
    });
    if (page.length > 0) yield page;
    const end = page.at(-1);
    if (end === undefined || page.length < PAGE) return;
    last = end._id;
  }
}
