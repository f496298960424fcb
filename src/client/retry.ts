import type { TidelineError } from './tideline-error.ts';

/** How often, and how patiently, a call is repeated by itself. */
export interface RetryPolicy {
  /** Further attempts after the first; 0 turns repeating off. */
  readonly maxRetries: number;
  /** The longest pause: a call that would have to wait longer fails at once, and says so in `retryAfter`. */
  readonly maxRetryWaitMs: number;
}

export const RETRY_POLICY: RetryPolicy = { maxRetries: 2, maxRetryWaitMs: 60_000 };

const FIRST_PAUSE_MS = 250;

/** No answer, or one of a gateway in front of the service instead of the service's; 503 also where a rate is missing. */
const PASSING: readonly number[] = [0, 502, 503, 504];

interface Attempt {
  /** How many have failed, this one included. */
  readonly failed: number;
  /** Whether making the call twice is the same as making it once. */
  readonly isRepeatable: boolean;
}

/**
 * How long to wait before the call is made again; null: it is not. A call that a limit refused has not been checked, so
 * that it may be repeated whatever it is; one that may have been carried out, only if twice is the same as once.
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

/** Doubles, and is anywhere in the upper half of it: callers that failed together do not come back together. */
function backoff(failed: number): number {
  return FIRST_PAUSE_MS * 2 ** (failed - 1) * (0.5 + Math.random() / 2);
}
