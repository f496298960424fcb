import { Coalescer } from './coalesce.ts';
import type { CounterStore } from './port.ts';

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
  /** By the counter's key. */
  readonly #calls: Coalescer<Window, number, string>;
  /** By subject, day and minute. */
  readonly #dailyCalls: Coalescer<{ counter: string; day: Window; minute: Window }, CallNumbers, string>;

  constructor(counters: CounterStore) {
    this.#calls = new Coalescer({
      concurrency: 1,
      sharesErrors: true,
      run: async (windows, key) => {
        const [window] = windows;
        if (!window) return [];
        const last = await counters.add(key, windows.length, afterSkew(window));
        return windows.map((_, index) => last - windows.length + index + 1);
      },
    });
    this.#dailyCalls = new Coalescer({
      concurrency: 1,
      sharesErrors: true,
      run: async (calls) => {
        const [call] = calls;
        if (!call) return [];
        const { whole, part } = await counters.addPart(
          call.counter,
          calls.length,
          call.minute.number,
          afterSkew(call.day),
        );
        return calls.map((_, index) => {
          const others = calls.length - index - 1;
          return { ofDay: whole - others, ofMinute: part - others };
        });
      },
    });
  }

  /** Counts one more call, and returns its number in this window, from 1. */
  raise(subject: string, window: Window): Promise<number> {
    return this.#calls.ask(window, `${subject}/${window.name}`);
  }

  /** Counts one more call in the day and the minute of `now`, in one write. */
  raiseDaily(subject: string, now: Date): Promise<CallNumbers> {
    const day = dayOf(now);
    const minute = minuteOf(now);
    const counter = `${subject}/${day.name}`;
    return this.#dailyCalls.ask({ counter, day, minute }, `${counter}/${minute.name}`);
  }
}

/** A counter outlives its window a little, because another process's clock may still be in it. */
export function afterSkew(window: Window): Date {
  return new Date(window.resetAt.getTime() + MINUTE_MS);
}
