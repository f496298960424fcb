import type { Log } from '../observability/log.ts';
import type { StoredActor } from '../store/documents.ts';
import { SCAN_MAX } from './scanner.ts';

/** The most actors in a log line. */
const NAMED_MAX = 10;

/**
 * Dispatches actors that are due at their commit, without waiting for the next tick, so that a first charge follows an
 * approval within a fraction of a second. The tick may find the actor too; that changes nothing.
 */
export class DueAtCommit {
  readonly #log: Log;
  readonly #dispatch: (docs: readonly StoredActor[]) => Promise<void>;
  readonly #waiting = new Map<string, StoredActor>();
  #isBusy = false;

  constructor(log: Log, dispatch: (docs: readonly StoredActor[]) => Promise<void>) {
    this.#log = log;
    this.#dispatch = dispatch;
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  add(doc: StoredActor): void {
    this.#waiting.set(doc._id, doc);
    if (this.#isBusy) return;
    this.#isBusy = true;
    queueMicrotask(() => void this.#dispatchAll());
  }

  async #dispatchAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      const docs = [...this.#waiting.values()].slice(0, SCAN_MAX);
      for (const doc of docs) this.#waiting.delete(doc._id);
      try {
        await this.#dispatch(docs);
      } catch (error) {
        const actors = docs.slice(0, NAMED_MAX).map(({ _id }) => _id);
        const about = { actors, count: docs.length, err: error };
        this.#log.warn(about, 'actors got no event at their commit; the next tick dispatches them');
      }
    }
    this.#isBusy = false;
  }
}
