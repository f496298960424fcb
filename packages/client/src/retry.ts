import type { TidelineError } from './tideline-error.ts';

/** The limits for automatic repetition of a call. */
export interface RetryPolicy {
  /** Attempts after the first; 0: no repetition. */
  readonly maxRetries: number;
  /** The longest pause. A call with a longer wait fails immediately, with the time in `retryAfter`. */
  readonly maxRetryWaitMs: number;
}

export const RETRY_POLICY: RetryPolicy = { maxRetries: 2, maxRetryWaitMs: 60_000 };

const FIRST_PAUSE_MS = 250;

/** No answer, or the answer of a gateway instead of the service; 503 also means that a rate is missing. */
const PASSING: readonly number[] = [0, 502, 503, 504];

interface Attempt {
  /** The number of failed attempts, with this one. */
  readonly failed: number;
  /** True if two calls have the effect of one. */
  readonly isRepeatable: boolean;
}

/**
 * The pause before the next attempt; null: no further attempt. A call refused by a limit was not executed, so any such
 * call may be repeated. A call that may have been executed is repeated only if two have the effect of one.
 */
export function pauseAfter(
  { status, retryAfter }: TidelineError,
  { failed, isRepeatable }: Attempt,
  { maxRetries, maxRetryWaitMs }: RetryPolicy,
): number | null {
  if (failed > maxRetries) return null;
  const askedFor = retryAfter === null ? null : retryAfter * 1_000;
  if (status === 429) return within(maxRetryWaitMs, askedFor);
  if (!isRepeatable || !PASSING.includes(status)) return null;
  return within(maxRetryWaitMs, askedFor ?? backoff(failed));
}

function within(maxMs: number, pauseMs: number | null): number | null {
  return pauseMs !== null && pauseMs <= maxMs ? pauseMs : null;
}

/** Doubles each time, and is a random time in its upper half: callers that fail together do not return together. */
function backoff(failed: number): number {
  return FIRST_PAUSE_MS * 2 ** (failed - 1) * (0.5 + Math.random() / 2);
}
