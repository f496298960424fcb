import { isDate } from 'node:util/types';
import { Unstorable } from './errors.ts';
import type { Change, CommitBatch, Condition, OneChange, Query, Scalar, TallyQuery, Where } from './port.ts';
import { isPlain, sortKeys } from './values.ts';

/**
 * Guards the database. The driver silently stores some values as others (an invalid date as 1970, a large bigint as
 * another number, a Set as {}) and reads undefined in a filter as "everything". Both forms of the store refuse them
 * here, and the error names the path.
 */
export function checkValue(value: unknown, path: string): void {
  // Every write passes here, so the path is built only for a refusal.
  if (!isStorable(value)) refuse(value, path);
}

function isStorable(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed();
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return isStorableObject(value);
    default:
      return false;
  }
}

function isStorableObject(value: object | null): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isStorable(value[i])) return false;
    return true;
  }
  if (isDate(value)) return !Number.isNaN(value.getTime());
  if (!isPlain(value)) return false;
  // In a plain object these are its own keys; `for in` builds no list.
  for (const key in value) if (!isStorable(value[key])) return false;
  return true;
}

/** Throws for the first value that cannot be stored, with its path. */
function refuse(value: unknown, path: string): void {
  switch (typeof value) {
    case 'string':
      if (!value.isWellFormed()) throw bad(path, 'is a string with half a surrogate pair; UTF-8 cannot keep it');
      return;
    case 'boolean':
      return;
    case 'number':
      if (!Number.isFinite(value)) throw bad(path, `is ${value}; a finite number was expected`);
      return;
    case 'object':
      refuseObject(value, path);
      return;
    default:
      throw bad(
        path,
        `is ${typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`}; it cannot be stored unchanged`,
      );
  }
}

/** `checkValue` for a document: an object with a string `_id`. `what` names it in the error. */
export function checkDocument(doc: { readonly _id: string }, what: string): void {
  if (typeof doc._id !== 'string' || doc._id === '')
    throw bad(`${what}._id`, 'is not a string of at least one character');
  checkValue(doc, what);
}

/**
 * Refuses conditions that match something other than they say: undefined, an empty condition, an operator in a path.
 */
export function checkWhere(where: Where, what: string): void {
  for (const [path, condition] of Object.entries(where)) {
    checkPath(path, what);
    checkCondition(condition, `${what}.where['${path}']`);
  }
}

/** `checkWhere`, and `start` and `limit` must be whole numbers of 0 or more. */
export function checkQuery(query: Query, what: string): void {
  checkWhere(query.where, what);
  const sorted = (query.sort ?? []).map(([path]) => path);
  for (const path of sorted) checkPath(path, what);
  if (new Set(sorted).size !== sorted.length) throw bad(`${what}.sort`, `has a path twice: ${sorted.join(', ')}`);
  checkCount(query.limit, `${what}.limit`);
  if (query.start !== undefined) checkCount(query.start, `${what}.start`);
  if (query.after !== undefined) checkAfter(query, query.after, `${what}.after`);
}

export function checkTally({ where, by, period, sum, limit }: TallyQuery, what: string): void {
  checkWhere(where, what);
  for (const path of [...by, period?.of, sum]) if (path) checkPath(path, what);
  checkCount(limit, `${what}.limit`);
}

/** `after` needs one value per sort key: a missing value would match nothing. */
function checkAfter({ sort }: Query, after: readonly Scalar[], what: string): void {
  const { length } = sortKeys(sort);
  if (after.length !== length)
    throw bad(what, `has ${after.length} values; ${length}, one for each sort key, were expected`);
  for (const [index, value] of after.entries()) {
    if (value === null) throw bad(`${what}.${index}`, 'is null; no document can come after it');
    checkScalar(value, `${what}.${index}`);
  }
}

/** The values must be storable, and no two parts of the change may touch the same field. */
function checkChange(change: Change, what: string): void {
  const paths: string[] = [];
  for (const kind of ['set', 'push', 'inc'] as const) {
    for (const [path, value] of Object.entries(change[kind] ?? {})) {
      checkPath(path, `${what}.${kind}`);
      if (path === '_id' || path.startsWith('_id.')) throw bad(`${what}.${kind}['${path}']`, 'cannot be changed');
      checkValue(value, `${what}.${kind}['${path}']`);
      paths.push(path);
    }
  }
  checkDisjoint(paths, what);
}

/** Checks the condition and the change of one document. */
export function checkOne(of: string, { id, where, change }: OneChange): void {
  checkWhere(where, `change ${of} ${id}`);
  checkChange(change, `change ${of} ${id}`);
}

/** The driver must keep the counter's number and end unchanged. */
export function checkCounter(key: string, n: number, expiresAt: Date): void {
  checkValue(n, `counter ${key}.n`);
  checkValue(expiresAt, `counter ${key}.expiresAt`);
}

/** Every `rev` must be a whole number above the one before it, and a batch has each actor once. */
export function checkBatch({ op, at, relayAt, commits }: CommitBatch, what: string): void {
  const seen = new Set<string>();
  if (typeof op !== 'string' || op === '') throw bad(`${what}.op`, 'is not a string of at least one character');
  checkValue(at, `${what}.at`);
  checkValue(relayAt, `${what}.relayAt`);
  for (const { before, after, effects } of commits) {
    const where = `${what} ${after._id}`;
    if (typeof after._id !== 'string' || after._id === '') throw bad(where, 'has no id');
    if (seen.has(after._id)) throw bad(where, 'is in the batch twice');
    seen.add(after._id);
    if (before !== null) checkCount(before.rev, `${where}.before.rev`);
    checkCount(after.rev, `${where}.after.rev`);
    if (after.rev <= (before?.rev ?? 0)) throw bad(`${where}.after.rev`, `is not above ${before?.rev ?? 0}`);
    checkValue(effects, `${where}.effects`);
  }
}

/** A whole number of 0 or more: MongoDB reads a limit of 0 as "no limit" and gives a negative one another meaning. */
export function checkCount(n: number, what: string): void {
  if (!Number.isInteger(n) || n < 0) throw bad(what, `is ${String(n)}; a whole number of 0 or more was expected`);
}

/** The limit of a count: none, or a whole number of 1 or more. */
export function checkAtMost(n: number | undefined, what: string): void {
  if (n === 0) throw bad(what, 'is 0; a whole number of 1 or more was expected');
  if (n !== undefined) checkCount(n, what);
}

function refuseObject(value: object | null, path: string): void {
  if (value === null) return;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) refuse(value[i], `${path}.${i}`);
    return;
  }
  if (isDate(value)) {
    if (Number.isNaN(value.getTime())) throw bad(path, 'is an invalid date; it would be stored as 1970');
    return;
  }
  if (!isPlain(value)) {
    throw bad(path, `is a ${value.constructor.name}; only plain objects, arrays and dates are stored as they are`);
  }
  for (const [key, inner] of Object.entries(value)) refuse(inner, `${path}.${key}`);
}

function checkCondition(condition: Condition, path: string): void {
  if (typeof condition !== 'object' || condition === null || isDate(condition)) {
    checkScalar(condition, path);
    return;
  }
  const entries = Object.entries(condition);
  if (entries.length === 0) throw bad(path, 'is an empty condition');
  if (entries.length > 1 && ('in' in condition || 'not' in condition)) throw bad(path, "has more beside 'in' or 'not'");
  for (const [operator, value] of entries) checkOperator(operator, value, `${path}.${operator}`);
}

function checkOperator(operator: string, value: unknown, path: string): void {
  if (!OPERATORS.has(operator)) throw bad(path, `is no condition; known are ${[...OPERATORS].join(', ')}`);
  if (operator !== 'in') {
    checkScalar(value, path);
    return;
  }
  if (!Array.isArray(value)) throw bad(path, 'is not a list');
  for (let i = 0; i < value.length; i++) checkScalar(value[i], `${path}.${i}`);
}

const OPERATORS: ReadonlySet<string> = new Set(['in', 'not', 'lt', 'lte', 'gt', 'gte']);

function checkScalar(value: unknown, path: string): void {
  if (typeof value === 'object' && value !== null && !isDate(value)) {
    throw bad(path, 'is an object; a string, number, boolean, date or null was expected');
  }
  checkValue(value, path);
}

function checkPath(path: string, what: string): void {
  for (const part of path.split('.')) {
    if (part === '' || part.startsWith('$'))
      throw bad(what, `has the path '${path}'; a part is empty or begins with '$'`);
  }
}

function checkDisjoint(paths: readonly string[], what: string): void {
  if (paths.length < 2) return;
  const sorted = [...paths].sort();
  for (const path of sorted) {
    const other = sorted.find((p) => p.startsWith(`${path}.`));
    if (other !== undefined) throw bad(what, `changes '${path}' and '${other}', which is a part of it`);
  }
  if (new Set(sorted).size !== sorted.length) throw bad(what, 'changes one path in two ways');
}

function bad(path: string, problem: string): Unstorable {
  return new Unstorable(`${path} ${problem}`);
}
