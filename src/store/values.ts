import { isDate } from 'node:util/types';
import type { Query } from './port.ts';

/**
 * A copy that shares nothing with the value: plain objects, lists, dates and scalars, the values that `guard.ts`
 * accepts. `structuredClone` takes twice as long and makes objects of Node's own realm, whose dates are not a `Date` to
 * code in another realm.
 */
export function copy<T>(value: T): T;
export function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isDate(value)) return new Date(value);
  if (Array.isArray(value)) return value.map(copyOne);
  const made: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (key === '__proto__') Object.defineProperty(made, key, { ...DATA, value: copy(inner) });
    else made[key] = copy(inner);
  }
  return made;
}

const DATA = { writable: true, enumerable: true, configurable: true };

function copyOne(value: unknown): unknown {
  return copy(value);
}

/** An object with nothing but fields: not a date, an id or an instance of a class. */
export function isPlain(value: object): value is Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The sort keys of a query, with `_id` as the tie-break of every query, in the direction of the last key. */
export function sortKeys(sort: Query['sort']): readonly (readonly [path: string, direction: 1 | -1])[] {
  const keys = sort ?? [];
  if (keys.some(([path]) => path === '_id')) return keys;
  return [...keys, ['_id', keys.at(-1)?.[1] ?? 1]];
}
