/** How many are remembered at least; twice as many at most. */
const KEPT = 10_000;

/**
 * Ids of effects that are out of their outboxes for good, whatever a document that was read before that says: the newest.
 * In two halves, of which the older one is forgotten as a whole: a set that loses its oldest one by one is searched for it
 * past all that it has lost before.
 */
export class Tombstones {
  #newer = new Set<string>();
  #older: ReadonlySet<string> = new Set();

  add(id: string): void {
    this.#newer.add(id);
    if (this.#newer.size < KEPT) return;
    this.#older = this.#newer;
    this.#newer = new Set();
  }

  has(id: string): boolean {
    return this.#newer.has(id) || this.#older.has(id);
  }
}
