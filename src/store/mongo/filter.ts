import { isDate } from 'node:util/types';
import type { Document, Filter } from 'mongodb';
import { RECENT_OPS } from '../change.ts';
import type { IndexSpec } from '../indexes.ts';
import type { Change, Condition, Query, Where } from '../port.ts';
import { partitionsOfIds, shardKeyOf } from '../sharding.ts';
import { sortKeys } from '../values.ts';
import type { Connection, Row } from './connection.ts';
import { withSafeKeys } from './keys.ts';

/** The field types that a collection's partial indexes require. */
export type PartialTypes = ReadonlyMap<string, 'string' | 'date'>;

export function partialTypesOf(indexes: readonly IndexSpec[]): PartialTypes {
  const types = new Map<string, 'string' | 'date'>();
  for (const { whereString, whereDate } of indexes) {
    if (whereString !== undefined) types.set(whereString, 'string');
    if (whereDate !== undefined) types.set(whereDate, 'date');
  }
  return types;
}

/**
 * A checked `where` as a MongoDB filter. A partial index serves only a query that repeats the index's own condition, so
 * a condition on such a field names its type too. The type follows from the values. (Seen without it: a COLLSCAN.)
 */
export function filterOf(where: Where, types: PartialTypes): Filter<Row> {
  const filter: Filter<Row> = {};
  for (const [path, condition] of Object.entries(where)) filter[path] = operatorsOf(condition, types.get(path));
  return filter;
}

/**
 * Limits the filter to documents after the one with these sort values. The first key also gets its own bound, so that
 * the index finds where to begin; ties with it are compared document by document.
 */
export function behind(filter: Filter<Row>, { sort, after }: Pick<Query, 'sort' | 'after'>): Filter<Row> {
  if (after === undefined) return filter;
  const keys = sortKeys(sort).map(([path, direction], index) => {
    return { path, value: after[index], operator: direction === 1 ? '$gt' : '$lt' };
  });
  const ways = keys.map(({ path, value, operator }, index) => {
    const ties = keys.slice(0, index).map((key) => ({ [key.path]: key.value }));
    return { $and: [...ties, { [path]: { [operator]: value } }] };
  });
  const bound = keys.slice(0, 1).map(({ path, value, operator }) => ({ [path]: { [`${operator}e`]: value } }));
  return { $and: [filter, ...bound, { $or: ways }] };
}

/** What knows whether the server is the router of a cluster. */
type Server = Pick<Connection, 'isRouter'>;

/** The filter for documents by their ids. For a router it names the shard key, so that it asks only their shards. */
export function byIds({ isRouter }: Server, collection: string, ids: readonly string[]): Filter<Row> {
  if (!isRouter || shardKeyOf(collection) !== 'partition') return { _id: oneOf(ids) };
  return { _id: oneOf(ids), partition: oneOf(partitionsOfIds(ids)) };
}

/** A router changes one document only if its filter has one value of the shard key. */
function oneOf<T>(values: readonly T[]): T | { readonly $in: readonly T[] } {
  const [first, ...others] = values;
  return first === undefined || others.length > 0 ? { $in: values } : first;
}

/** The filter for one document that also matches `where`. */
export function filterOfOne(
  server: Server,
  { name, types }: { readonly name: string; readonly types: PartialTypes },
  { id, where }: { readonly id: string; readonly where: Where },
): Filter<Row> {
  const own = byIds(server, name, [id]);
  const filter = filterOf(where, types);
  return Object.keys(own).some((path) => path in where) ? { $and: [own, filter] } : { ...filter, ...own };
}

/** A checked change as a MongoDB update. A change without parts changes nothing. */
export function updateOf(change: Change): Document {
  const update: Document = { $set: withSafeKeys({ ...change.set }) };
  if (change.inc !== undefined) update['$inc'] = { ...change.inc };
  if (change.push !== undefined) {
    const push: Record<string, object> = {};
    for (const [path, values] of Object.entries(change.push)) push[path] = pushOf(path, values);
    update['$push'] = push;
  }
  return update;
}

/** The operator that appends; `recentOps` keeps only its last entries. */
function pushOf(path: string, values: readonly unknown[]): object {
  const each = withSafeKeys(values);
  return path === 'recentOps' ? { $each: each, $slice: -RECENT_OPS } : { $each: each };
}

function operatorsOf(condition: Condition, type: 'string' | 'date' | undefined): object {
  if (typeof condition !== 'object' || condition === null || isDate(condition)) {
    return typedAs(type, [condition], { $eq: condition });
  }
  if ('in' in condition) return typedAs(type, condition.in, { $in: condition.in });
  if ('not' in condition) return { $ne: condition.not };
  const operators: Record<string, unknown> = {};
  for (const [name, bound] of Object.entries(condition)) operators[`$${name}`] = bound;
  return typedAs(type, Object.values(condition), operators);
}

function typedAs(type: 'string' | 'date' | undefined, values: readonly unknown[], operators: object): object {
  if (type === undefined) return operators;
  const isOfType = (value: unknown) => (type === 'string' ? typeof value === 'string' : isDate(value));
  return values.length > 0 && values.every(isOfType) ? { ...operators, $type: type } : operators;
}
