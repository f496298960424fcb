/**
 * Runs checks of one kind one at a time. Requests during a check are batched into the next, so results of this process are
 * sent in the order of the reads.
 */
export class CheckQueue<T> {
  readonly #run: (asked: readonly T[]) => Promise<void>;
  #waiting = new Set<T>();
  #next: Promise<void> | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(run: (asked: readonly T[]) => Promise<void>) {
    this.#run = run;
  }

  /** Resolves when a check that began after this call has sent its results; rejects if that check fails. */
  add(asked: readonly T[]): Promise<void> {
    for (const each of asked) this.#waiting.add(each);
    this.#next ??= this.#follow();
    return this.#next;
  }

  #follow(): Promise<void> {
    const check = this.#last.then(() => {
      const asked = [...this.#waiting];
      this.#waiting = new Set();
      this.#next = null;
      return this.#run(asked);
    });
    this.#last = check.catch(() => {});
    return check;
  }
}
