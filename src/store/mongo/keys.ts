/**
 * Keys of plain objects that the driver gives a meaning, whatever stands under them: it refuses an object with a `_bsontype`,
 * and reads one with `$ref` and `$id` as something else. Merchants may name the fields of their free-form maps so.
 */
const TAKEN: ReadonlySet<string> = new Set(['_bsontype', '$ref', '$id', '$db']);

/** Stands before a taken key in the database, and before one that begins with it. */
const MARK = '\u0001';

/** A value as the driver is to be given it: itself, where no key is taken. */
export function withSafeKeys<T>(value: T): T {
  return renamed(value, (key) => (TAKEN.has(key) || key.startsWith(MARK) ? `${MARK}${key}` : key));
}

/** What `withSafeKeys` was given, of what the driver has read. */
export function withOwnKeys<T>(value: T): T {
  return renamed(value, (key) => (key.startsWith(MARK) ? key.slice(MARK.length) : key));
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

/** Dates, ids and the driver's own answers are left as they are. */
function renamedFields(fields: object, nameOf: (key: string) => string): object {
  const prototype = Object.getPrototypeOf(fields);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return fields;
  let isSame = true;
  const after = Object.entries(fields).map(([key, inner]): [string, unknown] => {
    const [name, each] = [nameOf(key), renamed(inner, nameOf)];
    isSame &&= name === key && each === inner;
    return [name, each];
  });
  return isSame ? fields : Object.fromEntries(after);
}
