/**
 * Checks of one kind, one after another: what is asked for while one is under way goes into the next, together. So of two
 * checks of this process the later one is also reported later.
 */
export class CheckQueue<T> {
  readonly #run: (asked: readonly T[]) => Promise<void>;
  #waiting = new Set<T>();
  #next: Promise<void> | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(run: (asked: readonly T[]) => Promise<void>) {
    this.#run = run;
  }

  /** Resolves when a check that begins after this call has been reported; rejects as that check does. */
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
