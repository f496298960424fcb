import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../observability/log.ts';
import type { StoredActor } from '../store/documents.ts';
import { SCAN_MAX } from './scanner.ts';

/** The listeners to commits of this process, by actor. */
export class CommitListeners {
  readonly #listening = new Map<string, Set<CommitListener>>();

  /** A listener to every commit of the actor until it is closed. */
  open(id: string): CommitListener {
    const listener = new CommitListener();
    this.#listening.set(id, (this.#listening.get(id) ?? new Set()).add(listener));
    return listener;
  }

  close(id: string, listener: CommitListener): void {
    const known = this.#listening.get(id);
    known?.delete(listener);
    if (known?.size === 0) this.#listening.delete(id);
  }

  notify(doc: StoredActor): void {
    for (const listener of this.#listening.get(doc._id) ?? []) listener.notify(doc);
  }

  notifyAll(): void {
    for (const listener of [...this.#listening.values()].flatMap((each) => [...each])) listener.notify(null);
  }
}

class CommitListener {
  #newest: StoredActor | null = null;
  #wait = new AbortController();

  /** The newest document committed since the last call; null after `atMostMs`, or after `notifyAll`. Never rejects. */
  async next(atMostMs: number): Promise<StoredActor | null> {
    await delay(Math.max(0, atMostMs), undefined, { signal: this.#wait.signal }).catch(() => {});
    const newest = this.#newest;
    this.#newest = null;
    this.#wait = new AbortController();
    return newest;
  }

  notify(doc: StoredActor | null): void {
    this.#newest = doc ?? this.#newest;
    this.#wait.abort();
  }
}

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
