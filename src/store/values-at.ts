import { isFields } from './change.ts';

/** A document's values under a path; `undefined`: no value. A list gives the values of every element. */
export function valuesAt(value: unknown, parts: readonly string[], at = 0, found: unknown[] = []): unknown[] {
  const part = parts[at];
  if (part === undefined) {
    found.push(value);
    if (Array.isArray(value)) found.push(...value);
    return found;
  }
  if (isFields(value)) return valuesAt(Object.hasOwn(value, part) ? value[part] : undefined, parts, at + 1, found);
  if (!Array.isArray(value)) {
    found.push(undefined);
    return found;
  }
  if (/^\d+$/.test(part) && Number(part) < value.length) valuesAt(value[Number(part)], parts, at + 1, found);
  for (const element of value) if (isFields(element)) valuesAt(element, parts, at, found);
  return found;
}
