import type { Decimal128 } from 'mongodb';
import type { Query, Scalar, Tally, TallyQuery, Where } from '../port.ts';
import { sortKeys } from '../values.ts';
import type { BoundCollection } from './collections.ts';
import type { Connection } from './connection.ts';
import { behind, filterOf } from './filter.ts';

/** The answer to a checked query, in one call: the batch size is one more than the possible results. */
export async function findIn<T extends { readonly _id: string }>(
  connection: Connection,
  { name, rows, types }: BoundCollection,
  query: Query,
  projection: Readonly<Record<string, 0 | 1>> = {},
): Promise<T[]> {
  if (query.limit === 0) return [];
  const filter = behind(filterOf(query.where, types), query);
  const options = {
    projection,
    sort: Object.fromEntries(query.ties === 'any' ? (query.sort ?? []) : sortKeys(query.sort)),
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

interface Group {
  readonly _id: { readonly [field: string]: Scalar };
  readonly count: number;
  readonly sum?: Decimal128;
}

/** The groups of a checked query, computed by the database. */
export async function tallyIn(
  connection: Connection,
  { name, rows, types }: BoundCollection,
  { where, by, period, sum, limit }: TallyQuery,
): Promise<Tally[]> {
  const fields = by.map((path, at) => [`by${at}`, { $ifNull: [`$${path}`, null] }] as const);
  const start = period && { $dateTrunc: { date: { $toDate: `$${period.of}` }, unit: period.unit } };
  const group = {
    _id: { ...Object.fromEntries(fields), start },
    count: { $sum: 1 },
    ...(sum === null ? {} : { sum: { $sum: { $convert: { input: `$${sum}`, to: 'decimal', onError: 0 } } } }),
  };
  const pipeline = [{ $match: filterOf(where, types) }, { $group: group }, { $limit: limit }];
  const groups = await connection.repeatable(`tally ${name}`, () =>
    rows.aggregate<Group>(pipeline, { batchSize: limit + 1 }).toArray(),
  );
  return groups.map(({ _id, count, sum: total }) => ({
    by: by.map((_path, at) => _id[`by${at}`] ?? null),
    start: _id['start'] instanceof Date ? _id['start'] : null,
    count,
    sum: BigInt(total?.toString() ?? 0),
  }));
}
