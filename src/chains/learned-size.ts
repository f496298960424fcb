/** How long a node's limit is remembered, in milliseconds: plans change, and it may have been busy. */
export const REMEMBERED_MS = 3_600_000;

/** How much to ask of a node at once: `most`, or what it took within the last hour after a refusal. */
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

  /** Notes that the node took this size, after it had refused more. */
  learn(size: number): void {
    this.#taken = { size: Math.max(1, Math.min(size, this.now)), until: this.#clock() + REMEMBERED_MS };
  }
}
