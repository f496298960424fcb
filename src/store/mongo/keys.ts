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

/** Everything that is written or read comes by here, and hardly anything of it has such a key. */
function hasKey(value: unknown, isMeant: (key: string) => boolean): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => hasKey(item, isMeant));
  if (!isPlain(value)) return false;
  for (const key in value) if (isMeant(key) || hasKey(Reflect.get(value, key), isMeant)) return true;
  return false;
}

/** Dates, ids and the driver's own answers are left as they are. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function renamed<T>(value: T, nameOf: (key: string) => string): T;
function renamed(value: unknown, nameOf: (key: string) => string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? renamedItems(value, nameOf) : renamedFields(value, nameOf);
}

function renamedItems(items: readonly unknown[], nameOf: (key: string) => string): readonly unknown[] {
  let isSame = true;
  const after = items.map((item) => {
    const each = renamed(item, nameOf);
    isSame &&= each === item;
    return each;
  });
  return isSame ? items : after;
}

function renamedFields(fields: object, nameOf: (key: string) => string): object {
  if (!isPlain(fields)) return fields;
  let isSame = true;
  const after = Object.entries(fields).map(([key, inner]): [string, unknown] => {
    const [name, each] = [nameOf(key), renamed(inner, nameOf)];
    isSame &&= name === key && each === inner;
    return [name, each];
  });
  return isSame ? fields : Object.fromEntries(after);
}
