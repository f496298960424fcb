/** What a check has found; `isWhole`: nothing was amiss. */
export interface Check<T> {
  readonly found: T;
  readonly isWhole: boolean;
}

/**
 * What was found when something was last checked. That holds until it is forgotten; where something was amiss it is checked
 * again after a while, by whoever asks next: it may have been the node's fault. A check that fails is no check.
 */
export class LastCheck<T> {
  readonly #check: () => Promise<Check<T>>;
  readonly #amissMs: number;
  #last: Promise<T> | null = null;
  /** Moment of the monotonic clock from which what was found does not hold any more. */
  #holdsUntil = Number.POSITIVE_INFINITY;

  constructor(check: () => Promise<Check<T>>, amissMs: number) {
    this.#check = check;
    this.#amissMs = amissMs;
  }

  /** Those who ask at the same time wait for one check. Throws what it throws. */
  get(): Promise<T> {
    if (performance.now() >= this.#holdsUntil) this.forget();
    this.#last ??= this.#begin();
    return this.#last;
  }

  forget(): void {
    this.#last = null;
    this.#holdsUntil = Number.POSITIVE_INFINITY;
  }

  #begin(): Promise<T> {
    const begun: Promise<T> = this.#check().then(
      ({ found, isWhole }) => {
        if (this.#last === begun && !isWhole) this.#holdsUntil = performance.now() + this.#amissMs;
        return found;
      },
      (error: unknown) => {
        if (this.#last === begun) this.forget();
        throw error;
      },
    );
    return begun;
  }
}
