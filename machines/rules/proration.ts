import { type Interval, type Period, periodAt } from './period.ts';

/**
 * The part of what a period is worth that is unused at `now`, rounded down to the base unit: a customer gets no more
 * than the time that is left, and what all periods cost differs from the time used by less than a base unit per change.
 */
export function creditFor(worth: bigint, { start, end }: Period, now: string): bigint {
  const [from, to] = [Date.parse(start), Date.parse(end)];
  const left = Math.min(Math.max(to - Date.parse(now), 0), to - from);
  return (worth * BigInt(left)) / BigInt(to - from);
}

/** One charge in base units of a token, and how often. */
interface Plan {
  readonly amount: string;
  readonly interval: Interval;
}

/** True if a charge is less, or of a shorter period: the customer would be owed money in the middle of one. */
export function isDowngrade(from: Plan, to: Plan): boolean {
  return BigInt(to.amount) < BigInt(from.amount) || lengthOf(to.interval) < lengthOf(from.interval);
}

/** January has 31 days, and 2001 has 365. */
const ANY_DAY = '2001-01-01T00:00:00.000Z';

function lengthOf(interval: Interval): number {
  return Date.parse(periodAt(ANY_DAY, interval, 0).end) - Date.parse(ANY_DAY);
}
