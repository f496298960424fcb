/** One thing done again and again, by one runner at a time: when it is woken, or when the pause it asked for is over. */
export interface LoopOptions {
  /** Does the work once; returns how many milliseconds it wants to rest unless it is woken. */
  readonly run: () => Promise<number>;
  /** What to do about an error of `run`; returns the pause. `failures` counts those in a row, from 1. */
  readonly onError: (error: unknown, failures: number) => number;
}

export class Loop {
  readonly #options: LoopOptions;
  #running: Promise<void> | null = null;
  #started = false;
  #stopped = false;
  /** Moment (of the monotonic clock) at which the next run is due. */
  #dueAt = 0;
  /** Moments at or after which a run has been asked for, and none has begun yet. */
  #wakes: number[] = [];
  #timer: NodeJS.Timeout | null = null;
  #wake: (() => void) | null = null;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  /** Begins; the first run is at once. Once started, or stopped, it does nothing. */
  start(): void {
    if (this.#started || this.#stopped) return;
    this.#started = true;
    this.#dueAt = performance.now();
    this.#running = this.#go();
  }

  /**
   * Lets a run begin `inMs` milliseconds from now, also when the pause would be longer. A run before that moment, under way
   * or still to come, does not count: it may not find the work yet. A loop that does not run keeps no wakes: a process that
   * starts no queues is woken for every charge too.
   */
  wake(inMs = 0): void {
    if (!this.#started || this.#stopped) return;
    const at = performance.now() + inMs;
    this.#wakes.push(at);
    if (at >= this.#dueAt) return;
    this.#dueAt = at;
    if (this.#wake) this.#arm();
  }

  /** Ends it; resolves when the run that is going on, if any, has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake?.();
    await this.#running;
  }

  async #go(): Promise<void> {
    let failures = 0;
    while (!this.#stopped) {
      const begunAt = performance.now();
      this.#wakes = this.#wakes.filter((at) => at > begunAt);
      this.#dueAt = Number.POSITIVE_INFINITY;
      let pause: number;
      try {
        pause = await this.#options.run();
        failures = 0;
      } catch (error) {
        failures += 1;
        pause = this.#options.onError(error, failures);
      }
      this.#dueAt = Math.min(performance.now() + pause, ...this.#wakes);
      await this.#rest();
    }
  }

  async #rest(): Promise<void> {
    if (this.#stopped) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#arm();
    });
    this.#wake = null;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #arm(): void {
    if (this.#timer) clearTimeout(this.#timer);
    // A timer counts whole milliseconds, and would leave off what is over: a run too early, and another one behind it.
    const inMs = Math.min(Math.max(0, Math.ceil(this.#dueAt - performance.now())), MAX_TIMER_MS);
    this.#timer = setTimeout(() => this.#wake?.(), inMs);
  }
}

/** Node takes a longer timer for one of 1 ms. */
const MAX_TIMER_MS = 2_147_483_647;
