import type { StoredActor } from '../store/documents.ts';

/** Receives every commit of one actor in this process until it is closed. */
export interface CommitListener {
  /** The newest document committed since the last call; null after `atMostMs`, or after `notifyAll`. Never rejects. */
  next(atMostMs: number): Promise<StoredActor | null>;
  close(): void;
}

/** The listeners to commits of this process, by actor. */
export class CommitListeners {
  readonly #listening = new Map<string, Set<Listener>>();

  open(id: string): CommitListener {
    const listener = new Listener(() => this.#remove(id, listener));
    const known = this.#listening.get(id) ?? new Set();
    known.add(listener);
    this.#listening.set(id, known);
    return listener;
  }

  notify(doc: StoredActor): void {
    for (const listener of this.#listening.get(doc._id) ?? []) listener.notify(doc);
  }

  notifyAll(): void {
    for (const listener of [...this.#listening.values()].flatMap((each) => [...each])) listener.notify(null);
  }

  #remove(id: string, listener: Listener): void {
    const known = this.#listening.get(id);
    known?.delete(listener);
    if (known?.size === 0) this.#listening.delete(id);
  }
}

class Listener implements CommitListener {
  readonly #onClose: () => void;
  #newest: StoredActor | null = null;
  #wake: (() => void) | null = null;

  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  async next(atMostMs: number): Promise<StoredActor | null> {
    if (this.#newest === null) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, atMostMs));
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = null;
    }
    const newest = this.#newest;
    this.#newest = null;
    return newest;
  }

  notify(doc: StoredActor | null): void {
    this.#newest = doc ?? this.#newest;
    this.#wake?.();
  }

  close(): void {
    this.#onClose();
  }
}
