import { DuplicateKey } from '../errors.ts';
import type { IndexSpec } from '../indexes.ts';
import type { InsertVerdict, Query, Where } from '../port.ts';
import { DateIndex } from './date-index.ts';
import { behind, comparer, matcher } from './match.ts';
import { UniqueIndex } from './unique-index.ts';

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

  /**
   * Replaces the document of the same id. Throws `DuplicateKey` and changes nothing if another document has a unique
   * key.
   */
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

  /** The declared date index with that name. */
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
