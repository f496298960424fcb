import { doubled } from './backoff.ts';
import { addDays, later } from './period.ts';

/**
 * Days after the first failure on which an open cycle is tried again (docs/rules.md, "Subscriptions": Renewal fails).
 */
const DUNNING_DAYS = [1, 3, 5, 7] as const;

export interface FailedAttempt {
  /** When the failed attempt was opened. */
  readonly openedAt: string;
  /** When the first failure of this cycle was detected; if this attempt is the first, its own moment. */
  readonly failingSince: string;
  /** Consecutive failures, this one included. */
  readonly failures: number;
  readonly maxFailedCycles: number | null;
}

export type DunningVerdict =
  | { readonly kind: 'retry'; readonly at: string }
  | { readonly kind: 'max_failed_cycles_reached' }
  | { readonly kind: 'grace_expired' };

/** The consequence of a failed attempt; whichever limit is reached first wins (reference, section 3). */
export function verdictOn(failed: FailedAttempt): DunningVerdict {
  if (failed.maxFailedCycles !== null && failed.failures >= failed.maxFailedCycles) {
    return { kind: 'max_failed_cycles_reached' };
  }
  const next = nextDunningAttempt(failed.failingSince, failed.openedAt);
  return next === null ? { kind: 'grace_expired' } : { kind: 'retry', at: next };
}

/** Pause between an attempt that a chain check brought forward, but that failed, and the next one brought forward. */
const HURRY_PAUSE_MS = { first: 15 * 60_000, most: 6 * 3_600_000 } as const;

/**
 * The earliest time at which a chain check may bring an attempt forward again. `hurried`: how many attempts of this
 * cycle were brought forward. Each failed although the check had predicted success, so the next one waits longer.
 */
export function hurryFrom(openedAt: string, hurried: number): string {
  if (hurried === 0) return openedAt;
  return later(openedAt, doubled(HURRY_PAUSE_MS.first, hurried - 1, HURRY_PAUSE_MS.most));
}

/**
 * The first day of the schedule after the attempt opened at `openedAt`; null when that was on the last day, or later.
 */
export function nextDunningAttempt(failingSince: string, openedAt: string): string | null {
  return DUNNING_DAYS.map((day) => addDays(failingSince, day)).find((at) => at > openedAt) ?? null;
}
