import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';

const PATIENCE_MS = 60_000;
const POLL_MS = 20;

export interface Asking {
  /** The pause between two calls, milliseconds, or what it is after so many milliseconds. */
  readonly everyMs?: number | ((ms: number) => number);
  /** The time limit; a minute by default. */
  readonly withinMs?: number;
  /** When it aborts, the wait ends with its reason. */
  readonly signal?: AbortSignal;
  /** An additional explanation for the error, such as a log. */
  readonly explain?: () => unknown;
  /** At the limit it resolves with the last answer, for callers whose own comparison shows a better diff. */
  readonly orLast?: boolean;
}

/**
 * Calls until the answer is right, and resolves with it. It is for events without a notice, such as those in other
 * processes. At the time limit it throws with `what` and the last answer, unless `orLast`.
 */
export async function until<T, U extends T>(
  what: string,
  ask: () => T | Promise<T>,
  holds: (answer: T) => answer is U,
  asking?: Asking & { readonly orLast?: false },
): Promise<U>;
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  holds: (answer: T) => boolean,
  asking?: Asking,
): Promise<T>;
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  holds: (answer: T) => boolean,
  { everyMs = POLL_MS, withinMs = PATIENCE_MS, signal, explain = () => '', orLast = false }: Asking = {},
): Promise<T> {
  const began = performance.now();
  for (;;) {
    signal?.throwIfAborted();
    const answer = await ask();
    if (holds(answer)) return answer;
    const ms = performance.now() - began;
    if (ms > withinMs) {
      if (orLast) return answer;
      throw new Error(`Waited in vain until ${what}: ${inspect(answer, { depth: 8 })}\n${await explain()}`);
    }
    await delay(typeof everyMs === 'number' ? everyMs : everyMs(ms));
  }
}
