import { later } from './period.ts';

const MINUTE_MS = 60_000;

/** Minutes after the previous attempt at which a webhook is tried again (reference, section 6: Retries). */
const WEBHOOK_RETRY_MINUTES = [1, 5, 30, 120, 360] as const;

/** The first attempt and one after each pause. */
export const WEBHOOK_ATTEMPTS = WEBHOOK_RETRY_MINUTES.length + 1;

/** When attempt `attempt + 1` is made after `attempt` (1, 2, …) ended at `endedAt`; null after the sixth. */
export function nextWebhookAttempt(attempt: number, endedAt: string): string | null {
  const minutes = WEBHOOK_RETRY_MINUTES[attempt - 1];
  return minutes === undefined ? null : later(endedAt, minutes * MINUTE_MS);
}

/** Minutes after the previous attempt at which a letter is tried again: within three days. */
const LETTER_RETRY_MINUTES = [1, 5, 30, 120, 360, 720, 1_440, 1_440] as const;

/** When attempt `attempt + 1` of a letter is made after `attempt` ended; null after the ninth. */
export function nextLetterAttempt(attempt: number, endedAt: string): string | null {
  const minutes = LETTER_RETRY_MINUTES[attempt - 1];
  return minutes === undefined ? null : later(endedAt, minutes * MINUTE_MS);
}

/**
 * When a delivery checks for its turn if it has not been notified: after 10 s, doubled each time, at most 5 minutes.
 */
export function nextTurnCheck(looks: number, now: string): string {
  return later(now, doubled(10_000, looks, 5 * MINUTE_MS));
}

/** Pause before an undeliverable cycle is simulated again: 1 minute, doubled each time, at most 6 hours. */
export function pauseUntil(pauses: number, now: string): string {
  return later(now, doubled(MINUTE_MS, pauses, 360 * MINUTE_MS));
}

/** Pause before a blocked charge is checked again: 15 seconds, doubled each time, at most 1 hour. */
export function deferredUntil(times: number, now: string): string {
  return later(now, doubled(15_000, times, 60 * MINUTE_MS));
}

/** `first` doubled `times` times, never above `most`. Milliseconds. */
export function doubled(first: number, times: number, most: number): number {
  return times > 40 ? most : Math.min(most, first * 2 ** times);
}
