/** The fewest ids kept. At most twice as many are kept. */
const KEPT = 10_000;

/**
 * The newest ids of effects that are out of their outboxes for good; a document that was read earlier may still show
 * them. Two halves, because the older half can be dropped at once: finding the oldest id of one set gets slower with
 * every deletion.
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
