import { isDeepStrictEqual } from 'node:util';
import type { IndexDescription } from 'mongodb';

/** What an index does, without its name. */
export interface IndexShape {
  /** Order matters. */
  readonly key: readonly (readonly [string, unknown])[];
  /** Such as `unique` or `collation`; an option that is absent has its default. */
  readonly options: { readonly [name: string]: unknown };
}

/** Fields of an answer of `listIndexes` that say nothing about what the index does. */
const NOT_OPTIONS: ReadonlySet<string> = new Set(['name', 'v', 'ns', 'background']);

export function shapeOf(index: Partial<IndexDescription>): IndexShape {
  const { key = {}, collation, ...others } = index;
  const options = Object.entries(others).filter(([name]) => !NOT_OPTIONS.has(name));
  // Some servers report the default, which compares bytes.
  if (collation !== undefined && collation.locale !== 'simple') options.push(['collation', collation]);
  return { key: Object.entries(key), options: Object.fromEntries(options) };
}

export function haveSameShape(one: Partial<IndexDescription>, other: Partial<IndexDescription>): boolean {
  return isDeepStrictEqual(shapeOf(one), shapeOf(other));
}
