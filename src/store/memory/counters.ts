import { checkCount, checkCounter } from '../guard.ts';
import { type CounterStore, type Counts, PARTS_KEPT } from '../port.ts';
import type { RoundTrips } from '../round-trips.ts';

interface Counter {
  readonly n: number;
  readonly parts: ReadonlyMap<number, number>;
  readonly expiresAt: number;
}

/** Counters that end when the clock passes their `expiresAt`. */
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
    checkCounter(key, n, expiresAt);
    const counter = this.#live(key, expiresAt);
    const next = { ...counter, n: counter.n + n };
    this.#counters.set(key, next);
    return next.n;
  }

  async addPart(key: string, n: number, part: number, expiresAt: Date): Promise<Counts> {
    checkCounter(key, n, expiresAt);
    checkCount(part, `counter ${key}.part`);
    const counter = this.#live(key, expiresAt);
    const counted = (counter.parts.get(part) ?? 0) + n;
    const parts = new Map([...counter.parts, [part, counted]]);
    parts.delete(part - PARTS_KEPT);
    this.#counters.set(key, { ...counter, n: counter.n + n, parts });
    return { whole: counter.n + n, part: counted };
  }

  /** The counter, or a new one if it has ended. */
  #live(key: string, expiresAt: Date): Counter {
    this.#calls.add();
    const now = this.#now().getTime();
    this.#sweep(now);
    const old = this.#counters.get(key);
    if (old !== undefined && old.expiresAt > now) return old;
    return { n: 0, parts: new Map(), expiresAt: expiresAt.getTime() };
  }

  /** Once a minute, as MongoDB's own monitor does. */
  #sweep(now: number): void {
    if (now < this.#sweepAt) return;
    this.#sweepAt = now + 60_000;
    for (const [key, { expiresAt }] of this.#counters) if (expiresAt <= now) this.#counters.delete(key);
  }
}
