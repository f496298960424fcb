import { checkValue } from '../guard.ts';
import type { CounterStore } from '../port.ts';
import type { RoundTrips } from '../roundTrips.ts';

interface Counter {
  readonly n: number;
  readonly expiresAt: number;
}

/** Counters that are gone once the clock has passed their end. */
export class MemoryCounters implements CounterStore {
  readonly #counters = new Map<string, Counter>();
  readonly #now: () => Date;
  readonly #calls: RoundTrips;
  #sweepAt = 0;

  constructor(now: () => Date, calls: RoundTrips) {
    this.#now = now;
    this.#calls = calls;
  }

  async add(key: string, n: number, expiresAt: Date): Promise<number> {
    checkValue(n, `counter ${key}.n`);
    checkValue(expiresAt, `counter ${key}.expiresAt`);
    this.#calls.add();
    const now = this.#now().getTime();
    this.#sweep(now);
    const old = this.#counters.get(key);
    const live = old !== undefined && old.expiresAt > now ? old : { n: 0, expiresAt: expiresAt.getTime() };
    const next = { n: live.n + n, expiresAt: live.expiresAt };
    this.#counters.set(key, next);
    return next.n;
  }

  /** Once a minute of that clock, as MongoDB's own monitor does. */
  #sweep(now: number): void {
    if (now < this.#sweepAt) return;
    this.#sweepAt = now + 60_000;
    for (const [key, { expiresAt }] of this.#counters) if (expiresAt <= now) this.#counters.delete(key);
  }
}
