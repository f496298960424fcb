const BEAT_MS = 1_000;
/** A busy loop is late by less than this. */
const STILL_FROM_MS = 5_000;

/**
 * Knows whether this process has stood still: paused by its machine, or kept from running by others on it. What has taken
 * too long meanwhile was nobody else's fault.
 */
export class Standstill {
  readonly #now: () => number;
  #beat: number;
  #endedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;

  /** @param now milliseconds that go on while the process stands still */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#beat = now();
  }

  start(): void {
    this.#timer = setInterval(() => this.beat(), BEAT_MS).unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  beat(): void {
    const now = this.#now();
    if (now - this.#beat > STILL_FROM_MS) this.#endedAt = now;
    this.#beat = now;
  }

  /** Whether it did within the last `ms`, also where that has only just ended. */
  within(ms: number): boolean {
    this.beat();
    return this.#now() - this.#endedAt <= ms;
  }
}
