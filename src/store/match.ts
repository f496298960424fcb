import { isDate } from 'node:util/types';
import type { Condition, Query, Scalar, Where } from './port.ts';
import { sortKeys } from './values.ts';
import { valuesAt } from './values-at.ts';

export function matcher(where: Where): (doc: object) => boolean {
  const tests = Object.entries(where).map(([path, condition]) => {
    const parts = path.split('.');
    const holds = tester(condition);
    return (doc: object) => holds(valuesAt(doc, parts));
  });
  return (doc) => tests.every((test) => test(doc));
}

/** The order of a query's answers: its sort keys, then `_id` in the direction of the last key. */
export function comparer(sort: Query['sort']): (a: object, b: object) => number {
  const keys = sortKeys(sort).map(([path, direction]) => ({ parts: path.split('.'), direction }));
  return (a, b) => {
    for (const { parts, direction } of keys) {
      const order = compareValues(sortValue(a, parts, direction), sortValue(b, parts, direction));
      if (order !== 0) return order * direction;
    }
    return 0;
  };
}

/** The test for a query's `after`. */
export function behind({ sort, after }: Pick<Query, 'sort' | 'after'>): (doc: object) => boolean {
  if (after === undefined) return () => true;
  const keys = sortKeys(sort).map(([path, direction], index) => {
    return { parts: path.split('.'), direction, value: after[index] };
  });
  return (doc) => {
    for (const { parts, direction, value } of keys) {
      const own = sortValue(doc, parts, direction);
      if (rankOf(own) !== rankOf(value)) return false;
      const order = compareValues(own, value) * direction;
      if (order !== 0) return order > 0;
    }
    return false;
  };
}

type Test = (values: readonly unknown[]) => boolean;

function tester(condition: Condition): Test {
  if (typeof condition !== 'object' || condition === null || isDate(condition)) return isOne([condition]);
  if ('in' in condition) return isOne(condition.in);
  if ('not' in condition) {
    const is = isOne([condition.not]);
    return (values) => !is(values);
  }
  const { lt, lte, gt, gte } = condition;
  const tests: Test[] = [];
  if (lt !== undefined) tests.push(compares(lt, (order) => order < 0));
  if (lte !== undefined) tests.push(compares(lte, (order) => order <= 0));
  if (gt !== undefined) tests.push(compares(gt, (order) => order > 0));
  if (gte !== undefined) tests.push(compares(gte, (order) => order >= 0));
  return (values) => tests.every((test) => test(values));
}

function isOne(wanted: readonly Scalar[]): Test {
  return (values) => values.some((value) => wanted.some((one) => isScalar(value) && compareValues(value, one) === 0));
}

function compares(bound: Scalar, holds: (order: number) => boolean): Test {
  return (values) => values.some((value) => rankOf(value) === rankOf(bound) && holds(compareValues(value, bound)));
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null || isDate(value);
}

/** For a list, the element that is first in that direction; an empty list comes before null. */
function sortValue(doc: object, parts: readonly string[], direction: 1 | -1): unknown {
  const found = valuesAt(doc, parts);
  const values = found.filter((value) => !Array.isArray(value));
  if (values.length === 0) return found.length === 0 ? null : EMPTY_LIST;
  return values.reduce((best, value) => (compareValues(value, best) * direction < 0 ? value : best));
}

/**
 * Negative, 0 or positive, as MongoDB orders values of all types: null, numbers, strings, objects, lists, booleans,
 * dates.
 */
function compareValues(a: unknown, b: unknown): number {
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
const EMPTY_LIST = Symbol('empty list');

/** The rank of a value's type. A filter's `lt` compares only values of one rank. */
function rankOf(value: unknown): number {
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
