import type { CounterStore } from '../../store/port.ts';
import { SharedCalls } from '../shared-calls.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A fixed span of time in UTC: the minute or the day that a moment is in. */
export interface Window {
  readonly name: string;
  readonly resetAt: Date;
}

export function minuteOf(now: Date): Window {
  return windowOf('m', now, MINUTE_MS);
}

export function dayOf(now: Date): Window {
  return windowOf('d', now, DAY_MS);
}

function windowOf(unit: string, now: Date, lengthMs: number): Window {
  const number = Math.floor(now.getTime() / lengthMs);
  return { name: `${unit}${number}`, resetAt: new Date((number + 1) * lengthMs) };
}

/**
 * Counts calls in windows, exactly across processes. Callers of this process that wait on the same window share one
 * addition, each taking its own place in the answer (decisions, "Limits").
 */
export class WindowCounters {
  readonly #counters: CounterStore;
  readonly #calls = new SharedCalls<number>();

  constructor(counters: CounterStore) {
    this.#counters = counters;
  }

  /** Counts one more call, and returns which call of this window it is, from 1. */
  async raise(subject: string, window: Window): Promise<number> {
    const key = `${subject}/${window.name}`;
    const { result, place, of } = await this.#calls.join(key, (n) => this.#counters.add(key, n, afterSkew(window)));
    return result - of + place;
  }
}

/** A counter outlives its window a little: another process's clock may still be in it. */
function afterSkew(window: Window): Date {
  return new Date(window.resetAt.getTime() + MINUTE_MS);
}
