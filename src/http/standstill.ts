const BEAT_MS = 1_000;
/** A busy loop is less late than this. */
const STILL_FROM_MS = 5_000;

/** Notes that this process stood still (paused, or without a processor): then time-outs are nobody's fault. */
export class Standstill {
  readonly #now: () => number;
  #beat: number;
  #endedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;

  /** @param now milliseconds that continue while the process stands still */
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

  /** True if the process stood still within the last `ms`, or has just continued. */
  within(ms: number): boolean {
    this.beat();
    return this.#now() - this.#endedAt <= ms;
  }
}
