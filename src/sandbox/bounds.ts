import { conflict } from '../errors/fault.ts';

/**
 * The last moment of a clock, and of the start of a period that is paid ahead. A period is at most 365 years, so all
 * later moments still have a year of four digits.
 */
export const CLOCK_END = '9000-01-01T00:00:00.000Z';

export function isUnreachable(due: string): boolean {
  return due > CLOCK_END;
}

/** Throws 409 if `due` is after the end of all clocks. */
export function requireReachable(due: string): void {
  if (!isUnreachable(due)) return;
  throw conflict(`Nothing is due that can be reached: ${due} is after ${CLOCK_END}, where clocks end`);
}

/** Throws 409 if the next period would begin after the end of all clocks: `paidUntil` is the end of the present one. */
export function requireNextPeriod(paidUntil: string | null): void {
  if (paidUntil === null || paidUntil <= CLOCK_END) return;
  throw conflict(`Subscription is paid until ${paidUntil}; a charge needs a period that begins by ${CLOCK_END}`);
}
