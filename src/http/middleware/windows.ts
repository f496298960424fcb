import type { CounterStore, Counts } from '../../store/port.ts';
import { SharedCalls } from '../shared-calls.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A fixed span of time in UTC: the minute or the day of a moment. */
export interface Window {
  readonly name: string;
  /** The number of such spans since 1970. */
  readonly number: number;
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
  return { name: `${unit}${number}`, number, resetAt: new Date((number + 1) * lengthMs) };
}

/** The number of a call within its day and its minute, from 1. */
export interface CallNumbers {
  readonly ofDay: number;
  readonly ofMinute: number;
}

/**
 * Counts calls in windows, exactly across processes. Callers of this process that wait for the same window share one
 * addition; each gets its own number (docs/rules.md, "Limits").
 */
export class WindowCounters {
  readonly #counters: CounterStore;
  readonly #calls = new SharedCalls<number>();
  readonly #dailyCalls = new SharedCalls<Counts>();

  constructor(counters: CounterStore) {
    this.#counters = counters;
  }

  /** Counts one more call, and returns its number in this window, from 1. */
  async raise(subject: string, window: Window): Promise<number> {
    const key = `${subject}/${window.name}`;
    const { result, place, of } = await this.#calls.join(key, (n) => this.#counters.add(key, n, afterSkew(window)));
    return result - of + place;
  }

  /** Counts one more call in the day and the minute of `now`, in one write. */
  async raiseDaily(subject: string, now: Date): Promise<CallNumbers> {
    const day = dayOf(now);
    const minute = minuteOf(now);
    const key = `${subject}/${day.name}`;
    const { result, place, of } = await this.#dailyCalls.join(`${key}/${minute.name}`, (n) =>
      this.#counters.addPart(key, n, minute.number, afterSkew(day)),
    );
    const others = of - place;
    return { ofDay: result.whole - others, ofMinute: result.part - others };
  }
}

/** A counter outlives its window a little, because another process's clock may still be in it. */
function afterSkew(window: Window): Date {
  return new Date(window.resetAt.getTime() + MINUTE_MS);
}
