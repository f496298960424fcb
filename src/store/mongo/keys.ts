import { isPlain } from '../values.ts';

/**
 * Keys of plain objects that have a meaning for the driver, whatever their value: it refuses an object with a
 * `_bsontype`, and misreads one with `$ref` and `$id`. Merchants may use such names in their free-form maps.
 */
const TAKEN: ReadonlySet<string> = new Set(['_bsontype', '$ref', '$id', '$db']);

/** Precedes a taken key in the database, and a key that begins with this mark. */
const MARK = '\u0001';

/** The value in the form for the driver: unchanged if no key is taken. */
export function withSafeKeys<T>(value: T): T {
  return hasKey(value, isTaken) ? renamed(value, (key) => (isTaken(key) ? `${MARK}${key}` : key)) : value;
}

/** The reverse of `withSafeKeys`, for a value that the driver has read. */
export function withOwnKeys<T>(value: T): T {
  return hasKey(value, isMarked) ? renamed(value, (key) => (isMarked(key) ? key.slice(MARK.length) : key)) : value;
}

function isTaken(key: string): boolean {
  return TAKEN.has(key) || isMarked(key);
}

function isMarked(key: string): boolean {
  return key.startsWith(MARK);
}

/** Checked first: almost no document has such a key, and a copy would be most of the work of a write. */
function hasKey(value: unknown, is: (key: string) => boolean): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => hasKey(item, is));
  if (!isPlain(value)) return false;
  // In a plain object these are its own keys; `for in` builds no list.
  for (const key in value) if (is(key) || hasKey(value[key], is)) return true;
  return false;
}

/** Leaves dates, ids and the driver's own answers unchanged. */
function renamed<T>(value: T, nameOf: (key: string) => string): T;
function renamed(value: unknown, nameOf: (key: string) => string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => renamed(item, nameOf));
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [nameOf(key), renamed(inner, nameOf)]));
}
