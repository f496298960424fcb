import { isDate } from 'node:util/types';
import { DuplicateKey } from '../errors.ts';
import type { IndexSpec } from '../indexes.ts';
import { behind, comparer, matcher } from '../match.ts';
import type { Condition, InsertVerdict, Query, Where } from '../port.ts';
import { valuesAt } from '../values-at.ts';

/** A document of any collection. */
export type Row = { readonly _id: string };

/**
 * One collection: documents by id, with its declared indexes. It stores and returns the objects themselves; the caller
 * copies.
 */
export class Table {
  readonly #name: string;
  readonly #rows = new Map<string, Row>();
  readonly #unique: readonly UniqueIndex[];

  constructor(name: string, indexes: readonly IndexSpec[]) {
    this.#name = name;
    this.#unique = indexes.filter((spec) => spec.unique === true).map((spec) => new UniqueIndex(spec));
  }

  get(id: string): Row | undefined {
    return this.#rows.get(id);
  }

  some(ids: readonly string[]): Row[] {
    return [...new Set(ids)].flatMap((id) => this.#rows.get(id) ?? []);
  }

  insert(doc: Row): InsertVerdict {
    if (this.#rows.has(doc._id)) return { inserted: false, index: '_id' };
    const taken = this.#unique.find((index) => index.isTaken(doc));
    if (taken !== undefined) return { inserted: false, index: taken.name };
    this.#store(doc);
    return { inserted: true };
  }

  /** Replaces the document of the same id. Throws `DuplicateKey`, without a change, if another has a unique key. */
  put(doc: Row): void {
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
    return true;
  }

  find(query: Query): Row[] {
    const start = query.start ?? 0;
    const found = this.#where(query.where).filter(behind(query));
    return found.sort(comparer(query.sort)).slice(start, start + query.limit);
  }

  count(where: Where): number {
    return this.#where(where).length;
  }

  #where(where: Where): Row[] {
    const matches = matcher(where);
    const id = where['_id'];
    if (typeof id === 'string') return this.some([id]).filter(matches);
    const ids = idsIn(id);
    if (ids !== null) return this.some(ids).filter(matches);
    const found: Row[] = [];
    for (const row of this.#rows.values()) if (matches(row)) found.push(row);
    return found;
  }

  #store(doc: Row): void {
    this.#rows.set(doc._id, doc);
    for (const index of this.#unique) index.add(doc);
  }
}

/** The ids of a condition that names them; null: it names none. */
function idsIn(id: Condition | undefined): string[] | null {
  return typeof id === 'object' && id !== null && 'in' in id ? id.in.map(String) : null;
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
  isTaken(doc: Row): boolean {
    return this.#keys(doc).some((key) => (this.#holders.get(key) ?? doc._id) !== doc._id);
  }

  add(doc: Row): void {
    for (const key of this.#keys(doc)) this.#holders.set(key, doc._id);
  }

  remove(doc: Row): void {
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
