import { isDate } from 'node:util/types';
import type { IndexSpec } from '../indexes.ts';
import { valuesAt } from '../values-at.ts';

/** The holder of each key of a declared unique index. A list has a key per element. */
export class UniqueIndex {
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
