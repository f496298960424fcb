import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';

const PATIENCE_MS = 60_000;
const POLL_MS = 20;

export interface Asking {
  /** Pause between two questions, milliseconds. */
  readonly everyMs?: number;
  /** What else says why it was waited in vain, such as a log. */
  readonly explain?: () => unknown;
  /**
   * After a minute it resolves with what was answered last, and nothing is thrown: for a caller that holds the answer against
   * what it has to be, whose diff says more.
   */
  readonly orLast?: boolean;
}

/**
 * Asks until the answer is as it has to be, and resolves with it: for what tells nobody that it has happened, such as what
 * another process does. Throws after a minute, with what was waited for and what was answered last, unless `orLast`.
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
