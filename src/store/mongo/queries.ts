import type { Query, Where } from '../port.ts';
import { sortKeys } from '../sort.ts';
import type { BoundCollection } from './collections.ts';
import type { Connection } from './connection.ts';
import { behind, filterOf } from './filter.ts';

/** The answer to a checked query, in one call: the batch size is one more than the possible results. */
export async function findIn<T extends { readonly _id: string }>(
  connection: Connection,
  { name, rows, types }: BoundCollection,
  query: Query,
): Promise<T[]> {
  if (query.limit === 0) return [];
  const filter = behind(filterOf(query.where, types), query);
  const options = {
    sort: Object.fromEntries(sortKeys(query.sort)),
    skip: query.start ?? 0,
    limit: query.limit,
    batchSize: query.limit + 1,
  };
  return connection.repeatable(`find ${name}`, () => rows.find<T>(filter, options).toArray());
}

export async function countIn(
  connection: Connection,
  { name, rows, types }: BoundCollection,
  where: Where,
  atMost?: number,
): Promise<number> {
  const options = atMost === undefined ? {} : { limit: atMost };
  return connection.repeatable(`count ${name}`, () => rows.countDocuments(filterOf(where, types), options));
}
