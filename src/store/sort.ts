import type { Query } from './port.ts';

/** The sort keys of a query, with `_id` as the tie-break of every query, in the direction of the last key. */
export function sortKeys(sort: Query['sort']): readonly (readonly [path: string, direction: 1 | -1])[] {
  const keys = sort ?? [];
  if (keys.some(([path]) => path === '_id')) return keys;
  return [...keys, ['_id', keys.at(-1)?.[1] ?? 1]];
}
