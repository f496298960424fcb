import type { CounterStore, Counts } from '../../store/port.ts';
import { SharedCalls } from '../shared-calls.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A fixed span of time in UTC: the minute or the day that a moment is in. */
export interface Window {
  readonly name: string;
  /** How many of its length there have been since 1970. */
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

/** Which call of a day and of a minute in it somebody's is, from 1. */
export interface CallNumbers {
  readonly ofDay: number;
  readonly ofMinute: number;
}

/**
 * Counts calls in windows, exactly across processes. Callers of this process that wait on the same window share one
 * addition, each taking its own place in the answer (docs/rules.md, "Limits").
 */
export class WindowCounters {
  readonly #counters: CounterStore;
  readonly #calls = new SharedCalls<number>();
  readonly #dailyCalls = new SharedCalls<Counts>();

  constructor(counters: CounterStore) {
    this.#counters = counters;
  }

  /** Counts one more call, and returns which call of this window it is, from 1. */
  async raise(subject: string, window: Window): Promise<number> {
    const key = `${subject}/${window.name}`;
    const { result, place, of } = await this.#calls.join(key, (n) => this.#counters.add(key, n, afterSkew(window)));
    return result - of + place;
  }

  /** Counts one more call in the day and in the minute that `now` is in: one write for both. */
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

/** A counter outlives its window a little: another process's clock may still be in it. */
function afterSkew(window: Window): Date {
  return new Date(window.resetAt.getTime() + MINUTE_MS);
}
