import { isDate } from 'node:util/types';
/**
 * Negative, 0 or positive, as MongoDB orders values of all types: null, numbers, strings, objects, lists, booleans,
 * dates.
 */
export function compareValues(a: unknown, b: unknown): number {
  const rank = rankOf(a) - rankOf(b);
  if (rank !== 0) return rank;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (isDate(a) && isDate(b)) return a.getTime() - b.getTime();
  if (typeof a === 'object' && typeof b === 'object' && a !== null && b !== null) return compareFields(a, b);
  return 0;
}

/** Field by field, in stored order: the type of the value, the name, the value; the shorter object first. */
function compareFields(a: object, b: object): number {
  const others = Object.entries(b);
  const fields = Object.entries(a);
  for (const [i, [name, value]] of fields.entries()) {
    const other = others[i];
    if (other === undefined) return 1;
    const order = rankOf(value) - rankOf(other[1]) || compareText(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return fields.length - others.length;
}

/** Represents an empty list, which comes before everything. */
export const EMPTY_LIST = Symbol('empty list');

/** The rank of a value's type. A filter's `lt` compares only values of one rank. */
export function rankOf(value: unknown): number {
  if (value === undefined || value === null) return 1;
  switch (typeof value) {
    case 'number':
      return 2;
    case 'string':
      return 3;
    case 'boolean':
      return 8;
    case 'symbol':
      return 0;
    default:
      return isDate(value) ? 9 : Array.isArray(value) ? 5 : 4;
  }
}

/**
 * By code points, the order of UTF-8 bytes; JavaScript's `<` compares UTF-16 units and differs beyond the first plane.
 */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return raised(x) - raised(y);
  }
  return a.length - b.length;
}

/** Puts surrogates above the rest of the first plane. */
function raised(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}
