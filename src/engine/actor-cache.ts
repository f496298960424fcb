import type { StoredActor } from '../store/documents.ts';

/** The most documents kept, and for how long. */
const KEPT_MAX = 5_000;
const KEPT_MS = 60_000;

/**
 * Actors as this process has just written or read them, so that the next event needs no read. They may be stale, so
 * they decide only conditional writes. The oldest entries leave first.
 */
export class ActorCache {
  readonly #kept = new Map<string, { readonly doc: StoredActor; readonly at: number }>();

  /** Keeps the document, unless a later revision is here. */
  keep(doc: StoredActor): void {
    const known = this.of(doc._id);
    if (known !== undefined && known.rev > doc.rev) return;
    this.#kept.delete(doc._id);
    this.#kept.set(doc._id, { doc, at: performance.now() });
    for (const [id, { at }] of this.#kept) {
      if (this.#kept.size <= KEPT_MAX && performance.now() - at <= KEPT_MS) return;
      this.#kept.delete(id);
    }
  }

  of(id: string): StoredActor | undefined {
    return this.#kept.get(id)?.doc;
  }

  forget(id: string): void {
    this.#kept.delete(id);
  }
}
