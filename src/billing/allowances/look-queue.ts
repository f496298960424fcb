/**
 * Looks of one kind, one after another: what is asked for while one is under way goes into the next, together. So of two
 * looks of this process the later one is also told later.
 */
export class LookQueue {
  readonly #run: (ids: readonly string[]) => Promise<void>;
  #waiting = new Set<string>();
  #next: Promise<void> | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(run: (ids: readonly string[]) => Promise<void>) {
    this.#run = run;
  }

  /** Resolves when a look that begins after this call has been told; rejects as that look does. */
  add(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#waiting.add(id);
    this.#next ??= this.#follow();
    return this.#next;
  }

  #follow(): Promise<void> {
    const look = this.#last.then(() => {
      const ids = [...this.#waiting];
      this.#waiting = new Set();
      this.#next = null;
      return this.#run(ids);
    });
    this.#last = look.catch(() => {});
    return look;
  }
}
