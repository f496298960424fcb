import { isDate } from 'node:util/types';
import type { IndexSpec } from '../indexes.ts';

interface Entry {
  readonly id: string;
  readonly at: number;
}

/** A declared index over one date, by partition. It finds due documents without a read of the others. */
export class DateIndex {
  readonly #date: string;
  readonly #whereNull: string | undefined;
  readonly #partitions = new Map<number, Map<string, number>>();
  readonly #placeOf = new Map<string, Map<string, number>>();

  constructor(spec: IndexSpec) {
    this.#date = spec.whereDate ?? spec.name;
    this.#whereNull = spec.whereNull;
  }

  add(doc: { readonly _id: string }): void {
    const date: unknown = Reflect.get(doc, this.#date);
    if (!isDate(date)) return;
    if (this.#whereNull !== undefined && (Reflect.get(doc, this.#whereNull) ?? null) !== null) return;
    const partition: unknown = Reflect.get(doc, 'partition');
    const place = this.#place(typeof partition === 'number' ? partition : 0);
    place.set(doc._id, date.getTime());
    this.#placeOf.set(doc._id, place);
  }

  remove(id: string): void {
    this.#placeOf.get(id)?.delete(id);
    this.#placeOf.delete(id);
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
    for (const place of this.#partitions.values()) for (const at of place.values()) earliest = Math.min(earliest, at);
    return Number.isFinite(earliest) ? new Date(earliest) : null;
  }

  #place(partition: number): Map<string, number> {
    const place = this.#partitions.get(partition) ?? new Map<string, number>();
    this.#partitions.set(partition, place);
    return place;
  }
}
