/** How long a limit of a node is remembered, in milliseconds: plans change, and a limit may have been a bad moment. */
export const REMEMBERED_MS = 3_600_000;

/** How much is asked of a node at once: as much as is wanted, or what it has been found to take within the last hour. */
export class LearnedSize {
  readonly #most: number;
  readonly #clock: () => number;
  #taken: { readonly size: number; readonly until: number } | null = null;

  /** @param clock the monotonic clock, in milliseconds */
  constructor(most: number, clock = () => performance.now()) {
    this.#most = most;
    this.#clock = clock;
  }

  get now(): number {
    if (this.#taken !== null && this.#clock() >= this.#taken.until) this.#taken = null;
    return this.#taken?.size ?? this.#most;
  }

  /** The node has taken so much, after it had refused more. */
  learn(size: number): void {
    this.#taken = { size: Math.max(1, Math.min(size, this.now)), until: this.#clock() + REMEMBERED_MS };
  }
}
