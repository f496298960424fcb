import { setTimeout as delay } from 'node:timers/promises';

/** The value, or `late` if it has not come within `ms` milliseconds. What fails later than that is ignored. */
export async function within<T>(ms: number, value: Promise<T>, late: T): Promise<T> {
  const waiting = new AbortController();
  const timer = delay(Math.max(1, ms), late, { signal: waiting.signal });
  timer.catch(() => undefined);
  value.catch(() => undefined);
  return Promise.race([value, timer]).finally(() => waiting.abort());
}
