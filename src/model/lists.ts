import { invalid } from '../errors/fault.ts';
import { comparer } from '../store/match.ts';
import type { Query, Scalar, Where } from '../store/port.ts';
import { sortKeys } from '../store/values.ts';
import { valuesAt } from '../store/values-at.ts';

/** When the resources of a list were created; an absent bound does not limit. */
export interface CreatedRange {
  readonly gt?: Date;
  readonly gte?: Date;
  readonly lt?: Date;
  readonly lte?: Date;
}

export function createdIn(created: CreatedRange | null | undefined): Where {
  return Object.keys(created ?? {}).length === 0 ? {} : { createdAt: { ...created } };
}

/** Notes of the merchant on a resource: string to string. */
export type Metadata = { readonly [key: string]: string };

/**
 * The condition on resources whose metadata, at this path, have all of these values. No key has a dot, or begins with
 * `$`.
 */
export function metadataIn(path: string, metadata: Metadata | null | undefined): Where {
  return Object.fromEntries(Object.entries(metadata ?? {}).map(([key, value]) => [`${path}.${key}`, value]));
}

/** The requested page of a list (reference, section 8: Pagination). */
export interface Page {
  readonly limit: number;
  /** The items skipped before the page; 0 if `startingAfter` is given. */
  readonly start: number;
  /** The id after which the page begins; absent: it begins at `start`. */
  readonly startingAfter?: string | undefined;
}

/** The most that a total of a list counts. With more, nothing is added up. */
export const COUNTED_MAX = 10_000;

/** A page of a list. `hasMore`: there are items after it. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

export interface Lister<D> {
  readonly sort: NonNullable<Query['sort']>;
  /** The document that `startingAfter` names, even if the list's filter excludes it; null: there is none. */
  readonly get: (id: string) => Promise<D | null>;
  readonly find: (query: Omit<Query, 'where'>) => Promise<readonly D[]>;
}

/**
 * Reads a page with one query, and one read more if it begins after a document. Such a page begins at the same document
 * however many documents before it were added or removed. Throws 400 if `startingAfter` names no resource of the list.
 */
export async function readPage<D extends { readonly _id: string }>(
  { limit, start, startingAfter }: Page,
  { sort, get, find }: Lister<D>,
): Promise<ListPage<D>> {
  const from = startingAfter === undefined ? { start } : { after: await cursorOf(startingAfter, { sort, get }) };
  // One item more than the page shows whether there is a further page.
  const found = await find({ sort, ...from, limit: limit + 1 });
  return { items: found.slice(0, limit), hasMore: found.length > limit };
}

/** The values of a document's sort keys. */
async function cursorOf<D extends { readonly _id: string }>(
  id: string,
  { sort, get }: Pick<Lister<D>, 'sort' | 'get'>,
): Promise<Scalar[]> {
  const doc = await get(id);
  if (doc === null) throw invalid('startingAfter must be the id of a resource of this list');
  return sortKeys(sort).map(([path]) => {
    const [value] = valuesAt(doc, path.split('.'));
    if (typeof value === 'string' || typeof value === 'number' || value instanceof Date) return value;
    throw invalid(`startingAfter has left this list: its ${path} is gone; read the list from its beginning`);
  });
}

/** The order of every list of the API (reference, section 8: Pagination). */
export const NEWEST_FIRST = [['createdAt', -1]] as const;

/** The page of the documents that match one of the conditions. No document matches two. */
export async function findOfAll<D extends object>(
  conditions: readonly Where[],
  query: Omit<Query, 'where'>,
  find: (where: Where, query: Omit<Query, 'where'>) => Promise<readonly D[]>,
): Promise<readonly D[]> {
  const [only, ...others] = conditions;
  if (only !== undefined && others.length === 0) return find(only, query);
  const { start = 0, limit } = query;
  const parts = conditions.map((where) => find(where, { ...query, start: 0, limit: start + limit }));
  return (await Promise.all(parts))
    .flat()
    .sort(comparer(query.sort))
    .slice(start, start + limit);
}
