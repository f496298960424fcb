import { isPlain } from '../plain.ts';

/**
 * Keys of plain objects that the driver gives a meaning, whatever stands under them: it refuses an object with a `_bsontype`,
 * and reads one with `$ref` and `$id` as something else. Merchants may name the fields of their free-form maps so.
 */
const TAKEN: ReadonlySet<string> = new Set(['_bsontype', '$ref', '$id', '$db']);

/** Stands before a taken key in the database, and before one that begins with it. */
const MARK = '\u0001';

/** A value as the driver is to be given it: itself, where no key is taken. */
export function withSafeKeys<T>(value: T): T {
  return hasKey(value, isTaken) ? renamed(value, (key) => (isTaken(key) ? `${MARK}${key}` : key)) : value;
}

/** What `withSafeKeys` was given, of what the driver has read. */
export function withOwnKeys<T>(value: T): T {
  return hasKey(value, isMarked) ? renamed(value, (key) => (isMarked(key) ? key.slice(MARK.length) : key)) : value;
}

function isTaken(key: string): boolean {
  return TAKEN.has(key) || isMarked(key);
}

function isMarked(key: string): boolean {
  return key.startsWith(MARK);
}

/** Checked first: nearly no document has such a key, and copying the others would be most of the work of a write. */
function hasKey(value: unknown, is: (key: string) => boolean): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => hasKey(item, is));
  if (!isPlain(value)) return false;
  // Of a plain object these are its own keys, and no list of them is made.
  for (const key in value) if (is(key) || hasKey(value[key], is)) return true;
  return false;
}

/** Dates, ids and the driver's own answers are left as they are. */
function renamed<T>(value: T, nameOf: (key: string) => string): T;
function renamed(value: unknown, nameOf: (key: string) => string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => renamed(item, nameOf));
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [nameOf(key), renamed(inner, nameOf)]));
}
