import { conflict } from '../errors/fault.ts';

/**
 * As far as a clock is moved, and a period that is paid ahead may begin. A period is 365 years at most: whatever follows from here
 * is within the four digits that the year of a moment has.
 */
export const CLOCK_END = '9000-01-01T00:00:00.000Z';

/** Whether the clock would have to be moved further than it goes. */
export function isUnreachable(due: string): boolean {
  return due > CLOCK_END;
}

/** Throws 409 where that is so. */
export function requireReachable(due: string): void {
  if (!isUnreachable(due)) return;
  throw conflict(`Nothing is due that can be reached: ${due} is after ${CLOCK_END}, where clocks end`);
}

/** Throws 409 where the next period would begin after that: `paidUntil` is the end of the present one. */
export function requireRoom(paidUntil: string | null): void {
  if (paidUntil === null || paidUntil <= CLOCK_END) return;
  throw conflict(`Subscription is paid until ${paidUntil}; a charge needs a period that begins by ${CLOCK_END}`);
}
