import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';

const PATIENCE_MS = 60_000;
const POLL_MS = 20;

export interface Asking {
  /** The pause between two calls, milliseconds. */
  readonly everyMs?: number;
  /** An additional explanation for the error, such as a log. */
  readonly explain?: () => unknown;
  /**
   * After a minute it resolves with the last answer instead of throwing. This is for callers whose own comparison shows
   * a better diff.
   */
  readonly orLast?: boolean;
}

/**
 * Calls until the answer is right, and resolves with it. It is for events without a notice, such as those in other
 * processes. After a minute it throws with `what` and the last answer, unless `orLast`.
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
  { everyMs = POLL_MS, explain = () => '', orLast = false }: Asking = {},
): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    if (performance.now() > deadline) {
      if (orLast) return answer;
      throw new Error(`Waited in vain until ${what}: ${inspect(answer, { depth: 8 })}\n${await explain()}`);
    }
    await delay(everyMs);
  }
}
