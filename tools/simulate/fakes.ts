import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { forgetDrawn } from '../../src/store/ids.ts';
import { type Chances, chancesOf, fill } from './chance.ts';
import { type Alarm, VirtualTime } from './time.ts';

export const START = new Date('2027-01-28T09:00:00.000Z');

/** Runs a life with the chances of a seed, and with nothing but virtual time. */
export async function inVirtualTime<T>(
  seed: number,
  live: (chances: Chances, time: VirtualTime) => Promise<T>,
): Promise<T> {
  const chances = chancesOf(seed);
  const time = new VirtualTime(START, () => chances.pace.next());
  const undo = installFakes(time, (into) => fill(chances.ids, into));
  try {
    return await live(chances, time);
  } finally {
    undo();
  }
}

/** A result of `setTimeout`, with the part of Node's timers that the product uses. */
class Timer {
  readonly alarm: Alarm;

  constructor(alarm: Alarm) {
    this.alarm = alarm;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/**
 * Replaces timers, `Date`, `performance.now` and the randomness of `node:crypto` in this process by virtual time and
 * seeded chance.
 *
 * @param bytes fills a buffer with random bytes
 * @returns a function that restores the originals
 */
function installFakes(time: VirtualTime, bytes: (into: Uint8Array) => void): () => void {
  const undo: (() => void)[] = [];
  const replace = (of: object, name: string, value: unknown): void => {
    const before = Object.getOwnPropertyDescriptor(of, name);
    Object.defineProperty(of, name, { value, configurable: true, writable: true, enumerable: true });
    undo.push(() => {
      if (before) Object.defineProperty(of, name, before);
      else Reflect.deleteProperty(of, name);
    });
  };
  fakeTimers(time, replace);
  fakeClocks(time, replace);
  fakeChance(bytes, replace);
  syncBuiltinESMExports();
  forgetDrawn();
  return () => {
    for (const each of undo.reverse()) each();
    syncBuiltinESMExports();
    forgetDrawn();
  };
}

const Real = Date;

type Replace = (of: object, name: string, value: unknown) => void;

function fakeTimers(time: VirtualTime, replace: Replace): void {
  const start = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    new Timer(time.in(ms, () => run(...args)));
  const clear = (timer: unknown) => {
    if (timer instanceof Timer) timer.alarm.cancel();
  };
  replace(globalThis, 'setTimeout', start);
  replace(globalThis, 'clearTimeout', clear);
  replace(globalThis, 'setInterval', () => {
    throw new Error('setInterval is not simulated: use setTimeout');
  });
  replace(timers, 'setTimeout', (ms = 0, value?: unknown, { signal }: { signal?: AbortSignal } = {}) => {
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const alarm = time.in(ms, () => resolve(value));
      signal?.addEventListener('abort', () => {
        alarm.cancel();
        reject(signal.reason);
      });
    });
  });
}

function fakeClocks(time: VirtualTime, replace: Replace): void {
  const now = () => time.now;
  const date = function (...args: unknown[]): Date | string {
    if (!new.target) return String(new Real(time.now));
    if (args.length === 0) return new Real(time.now);
    return Reflect.construct(Real, args);
  };
  // `instanceof` gives the same answer with the real and with the fake class.
  date.prototype = Real.prototype;
  Object.setPrototypeOf(date, Real);
  date.now = now;
  replace(globalThis, 'Date', date);
  replace(performance, 'now', now);
}

function fakeChance(bytes: (into: Uint8Array) => void, replace: Replace): void {
  const some = (count: number): Buffer => {
    const made = Buffer.alloc(count);
    bytes(made);
    return made;
  };
  replace(crypto, 'randomBytes', some);
  replace(crypto, 'randomFillSync', (into: Uint8Array) => {
    bytes(into);
    return into;
  });
  replace(crypto, 'randomUUID', () =>
    some(16)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  );
}
