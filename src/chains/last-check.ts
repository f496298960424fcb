/** The result of a check. `isWhole`: it found no fault. */
export interface Check<T> {
  readonly found: T;
  readonly isWhole: boolean;
}

/**
 * Caches the result of a check until `forget`. A result with a fault expires after `amissMs`, because the node may have
 * caused it; the next caller then checks again. An error is not cached.
 */
export class LastCheck<T> {
  readonly #check: () => Promise<Check<T>>;
  readonly #amissMs: number;
  #last: Promise<T> | null = null;
  /** The moment of the monotonic clock at which the result expires. */
  #holdsUntil = Number.POSITIVE_INFINITY;

  constructor(check: () => Promise<Check<T>>, amissMs: number) {
    this.#check = check;
    this.#amissMs = amissMs;
  }

  /** Concurrent callers share one check. Throws what the check throws. */
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
