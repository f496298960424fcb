import { invalid } from '../errors/fault.ts';
import type { Query, Scalar } from '../store/port.ts';
import { sortKeys } from '../store/sort.ts';

/** Which page of a list is asked for (reference, section 8: Pagination). */
export interface Page {
  readonly limit: number;
  /** How many are left out before the page; 0 where `startingAfter` is given. */
  readonly start: number;
  /** The id of the resource behind which the page begins; null: the page begins at `start`. */
  readonly startingAfter: string | null;
}

/** One page of a list. `hasMore`: a further page has something. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

/** A list whose pages can be read. */
export interface Lister<D> {
  readonly sort: NonNullable<Query['sort']>;
  /** The document that `startingAfter` names, also one that the list's filter leaves out; null: there is none. */
  readonly get: (id: string) => Promise<D | null>;
  readonly find: (query: Omit<Query, 'where'>) => Promise<readonly D[]>;
}

/**
 * Reads one page, by one query, and one read more where it begins behind a document. Such a page begins at the same place
 * however many documents have come or gone before it. Throws 400 where `startingAfter` names nothing in the list's reach.
 */
export async function readPage<D extends { readonly _id: string }>(
  { limit, start, startingAfter }: Page,
  { sort, get, find }: Lister<D>,
): Promise<ListPage<D>> {
  const from = startingAfter === null ? { start } : { after: await placeOf(startingAfter, { sort, get }) };
  // One more than the page holds shows whether there is a further page.
  const found = await find({ sort, ...from, limit: limit + 1 });
  return { items: found.slice(0, limit), hasMore: found.length > limit };
}

/** The same page with its items in another form. */
export function mapPage<D, T>({ items, hasMore }: ListPage<D>, form: (item: D) => T): ListPage<T> {
  return { items: items.map(form), hasMore };
}

/** The values of a document's sort keys. */
async function placeOf<D extends { readonly _id: string }>(
  id: string,
  { sort, get }: Pick<Lister<D>, 'sort' | 'get'>,
): Promise<Scalar[]> {
  const doc = await get(id);
  if (doc === null) throw invalid('startingAfter must be the id of a resource of this list');
  return sortKeys(sort).map(([path]) => {
    const value: unknown = Reflect.get(doc, path);
    if (typeof value === 'string' || typeof value === 'number' || value instanceof Date) return value;
    throw invalid(`startingAfter has left this list: its ${path} is gone; read the list from its beginning`);
  });
}
