import { isDate } from 'node:util/types';
import { DuplicateKey } from '../errors.ts';
import type { IndexSpec } from '../indexes.ts';
import type { InsertVerdict, Query, Where } from '../port.ts';
import { valuesAt } from '../values-at.ts';
import { behind, comparer, matcher } from './match.ts';

/**
 * One collection: documents by id, with its declared indexes. It stores and returns the objects themselves; the caller
 * copies.
 */
export class Table<T extends { readonly _id: string }> {
  readonly #name: string;
  readonly #rows = new Map<string, T>();
  readonly #unique: readonly UniqueIndex[];
  readonly #dated = new Map<string, DateIndex>();

  constructor(name: string, indexes: readonly IndexSpec[]) {
    this.#name = name;
    this.#unique = indexes.filter((spec) => spec.unique === true).map((spec) => new UniqueIndex(spec));
    for (const spec of indexes) if (spec.whereDate !== undefined) this.#dated.set(spec.name, new DateIndex(spec));
  }

  get(id: string): T | undefined {
    return this.#rows.get(id);
  }

  some(ids: readonly string[]): T[] {
    return [...new Set(ids)].flatMap((id) => this.#rows.get(id) ?? []);
  }

  insert(doc: T): InsertVerdict {
    if (this.#rows.has(doc._id)) return { inserted: false, index: '_id' };
    const taken = this.#unique.find((index) => index.isTaken(doc));
    if (taken !== undefined) return { inserted: false, index: taken.name };
    this.#store(doc);
    return { inserted: true };
  }

  /** Replaces the document of the same id. Throws `DuplicateKey`, without a change, if another has a unique key. */
  put(doc: T): void {
    const taken = this.#unique.find((index) => index.isTaken(doc));
    if (taken !== undefined) throw new DuplicateKey(this.#name, doc._id, taken.name);
    this.remove(doc._id);
    this.#store(doc);
  }

  remove(id: string): boolean {
    const old = this.#rows.get(id);
    if (old === undefined) return false;
    this.#rows.delete(id);
    for (const index of this.#unique) index.remove(old);
    for (const index of this.#dated.values()) index.remove(old._id);
    return true;
  }

  find(query: Query): T[] {
    const start = query.start ?? 0;
    const found = this.#where(query.where).filter(behind(query));
    return found.sort(comparer(query.sort)).slice(start, start + query.limit);
  }

  count(where: Where): number {
    return this.#where(where).length;
  }

  dated(name: string): DateIndex {
    const index = this.#dated.get(name);
    if (index === undefined) throw new Error(`${this.#name} has no index '${name}' over a date`);
    return index;
  }

  #where(where: Where): T[] {
    const matches = matcher(where);
    const id = where['_id'];
    if (typeof id === 'string') return this.some([id]).filter(matches);
    const found: T[] = [];
    for (const row of this.#rows.values()) if (matches(row)) found.push(row);
    return found;
  }

  #store(doc: T): void {
    this.#rows.set(doc._id, doc);
    for (const index of this.#unique) index.add(doc);
    for (const index of this.#dated.values()) index.add(doc);
  }
}

interface Entry {
  readonly id: string;
  readonly at: number;
}

/** A declared index over one date, by partition. It finds due documents without a read of the others. */
class DateIndex {
  readonly #date: string;
  readonly #whereNull: string | undefined;
  readonly #partitions = new Map<number, Map<string, number>>();
  readonly #datesOf = new Map<string, Map<string, number>>();

  constructor(spec: IndexSpec) {
    this.#date = spec.whereDate ?? spec.name;
    this.#whereNull = spec.whereNull;
  }

  add(doc: { readonly _id: string }): void {
    const date: unknown = Reflect.get(doc, this.#date);
    if (!isDate(date)) return;
    if (this.#whereNull !== undefined && (Reflect.get(doc, this.#whereNull) ?? null) !== null) return;
    const partition: unknown = Reflect.get(doc, 'partition');
    const dates = this.#datesIn(typeof partition === 'number' ? partition : 0);
    dates.set(doc._id, date.getTime());
    this.#datesOf.set(doc._id, dates);
  }

  remove(id: string): void {
    this.#datesOf.get(id)?.delete(id);
    this.#datesOf.delete(id);
  }

  /** Ids with a date of `before` or earlier, the earliest first. */
  upTo(partitions: readonly number[], before: Date, limit: number): string[] {
    const found: Entry[] = [];
    for (const partition of new Set(partitions)) {
      for (const [id, at] of this.#partitions.get(partition) ?? []) if (at <= before.getTime()) found.push({ id, at });
    }
    found.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    return found.slice(0, limit).map((entry) => entry.id);
  }

  earliest(): Date | null {
    let earliest = Number.POSITIVE_INFINITY;
    for (const dates of this.#partitions.values()) for (const at of dates.values()) earliest = Math.min(earliest, at);
    return Number.isFinite(earliest) ? new Date(earliest) : null;
  }

  #datesIn(partition: number): Map<string, number> {
    const dates = this.#partitions.get(partition) ?? new Map<string, number>();
    this.#partitions.set(partition, dates);
    return dates;
  }
}

/** The holder of each key of a declared unique index. A list has a key per element. */
class UniqueIndex {
  readonly name: string;
  readonly #paths: readonly (readonly string[])[];
  readonly #whereString: readonly string[] | null;
  readonly #holders = new Map<string, string>();

  constructor(spec: IndexSpec) {
    this.name = spec.name;
    this.#paths = Object.keys(spec.on).map((path) => path.split('.'));
    this.#whereString = spec.whereString?.split('.') ?? null;
  }

  /** True if another document has a key of this one. */
  isTaken(doc: { readonly _id: string }): boolean {
    return this.#keys(doc).some((key) => (this.#holders.get(key) ?? doc._id) !== doc._id);
  }

  add(doc: { readonly _id: string }): void {
    for (const key of this.#keys(doc)) this.#holders.set(key, doc._id);
  }

  remove(doc: { readonly _id: string }): void {
    for (const key of this.#keys(doc)) this.#holders.delete(key);
  }

  #keys(doc: object): string[] {
    const filter = this.#whereString;
    if (filter !== null && !valuesAt(doc, filter).some((value) => typeof value === 'string')) return [];
    let keys: readonly unknown[][] = [[]];
    for (const path of this.#paths) {
      const values = keyValues(doc, path);
      keys = keys.flatMap((key) => values.map((value) => [...key, value]));
    }
    return keys.map((key) => JSON.stringify(key));
  }
}

function keyValues(doc: object, path: readonly string[]): unknown[] {
  const values = valuesAt(doc, path).filter((value) => !Array.isArray(value));
  return values.map((value) => (isDate(value) ? { date: value.getTime() } : (value ?? null)));
}
