import { isDate } from 'node:util/types';
import { Unstorable } from './errors.ts';
import type { Change } from './port.ts';
import { copy } from './values.ts';

/** How many operation ids a document remembers. A push to `recentOps` keeps the last of them, in both forms. */
export const RECENT_OPS = 16;

/** An object of fields, as opposed to a list, a date or a scalar. */
export function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isDate(value);
}

/** A copy of the document with the change made, as `$set`, `$push` and `$inc` make it. */
export function changed<T extends object>(doc: T, change: Change): T {
  const next = copy(doc);
  for (const [path, value] of Object.entries(change.set ?? {})) edit(next, path, () => copy(value));
  for (const [path, values] of Object.entries(change.push ?? {})) edit(next, path, (old) => pushed(path, old, values));
  for (const [path, n] of Object.entries(change.inc ?? {})) edit(next, path, (old) => increased(path, old, n));
  return next;
}

function pushed(path: string, old: unknown, values: readonly unknown[]): unknown[] {
  const list: unknown = old === undefined ? [] : old;
  if (!Array.isArray(list)) throw new Unstorable(`push to '${path}', which is not a list`);
  const all: unknown[] = [...list, ...copy(values)];
  return path === 'recentOps' ? all.slice(-RECENT_OPS) : all;
}

function increased(path: string, old: unknown, n: number): number {
  if (old === undefined) return n;
  if (typeof old !== 'number') throw new Unstorable(`inc of '${path}', which is not a number`);
  return old + n;
}

function edit(root: object, path: string, make: (old: unknown) => unknown): void {
  const parts = path.split('.');
  const last = parts.pop() ?? path;
  let holder: object = root;
  for (const part of parts) {
    const inner: unknown = read(holder, part, path);
    if (inner === undefined) {
      const made = {};
      write(holder, part, made);
      holder = made;
      continue;
    }
    if (!isFields(inner) && !Array.isArray(inner))
      throw new Unstorable(`'${path}' leads through '${part}', which has no fields`);
    holder = inner;
  }
  write(holder, last, make(read(holder, last, path)));
}

function read(holder: object, part: string, path: string): unknown {
  if (Array.isArray(holder) && !/^\d+$/.test(part))
    throw new Unstorable(`'${path}': '${part}' is not a place in a list`);
  return Object.hasOwn(holder, part) ? Reflect.get(holder, part) : undefined;
}

function write(holder: object, part: string, value: unknown): void {
  if (Array.isArray(holder)) while (holder.length < Number(part)) holder.push(null);
  Object.defineProperty(holder, part, { value, writable: true, enumerable: true, configurable: true });
}
