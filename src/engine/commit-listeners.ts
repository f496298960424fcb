import type { ActorDoc } from '../store/documents.ts';

export interface NextCommit {
  /** Resolves at the next commit of the actor in this process, or when the time is over. Never rejects. */
  readonly commit: Promise<void>;
  forget(): void;
}

/** Who waits for the next commit of an actor in this process. */
export class CommitListeners {
  readonly #waiting = new Map<string, Set<() => void>>();

  next(id: string, atMostMs: number): NextCommit {
    let forget = (): void => {};
    const commit = new Promise<void>((resolve) => {
      const timer = setTimeout(() => forget(), Math.max(0, atMostMs));
      forget = () => {
        clearTimeout(timer);
        this.#remove(id, forget);
        resolve();
      };
      this.#add(id, forget);
    });
    return { commit, forget: () => forget() };
  }

  tell(doc: ActorDoc): void {
    for (const heard of [...(this.#waiting.get(doc._id) ?? [])]) heard();
  }

  tellAll(): void {
    for (const heard of [...this.#waiting.values()].flatMap((each) => [...each])) heard();
  }

  #add(id: string, heard: () => void): void {
    const known = this.#waiting.get(id) ?? new Set();
    known.add(heard);
    this.#waiting.set(id, known);
  }

  #remove(id: string, heard: () => void): void {
    const known = this.#waiting.get(id);
    known?.delete(heard);
    if (known?.size === 0) this.#waiting.delete(id);
  }
}
