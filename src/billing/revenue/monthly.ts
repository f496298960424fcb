import type { Terms } from '../../../machines/subscription/context.ts';

type Unit = Terms['interval']['unit'];

/** How many of a unit fit into a twelfth of a year of 365 days, as numerator and denominator. */
const IN_A_MONTH: { readonly [U in Unit]: readonly [bigint, bigint] } = {
  day: [365n, 12n],
  week: [365n, 84n],
  month: [1n, 1n],
  year: [1n, 12n],
};

/** What charges of `units` at every interval make in a month, in base units, rounded to the nearest one. */
export function monthlyUnits(units: bigint, { unit, count }: Terms['interval'], model: unknown = null): bigint {
  // A price by use does not recur: only its cap is known before.
  if (model === 'metered') return 0n;
  const [numerator, denominator] = IN_A_MONTH[unit];
  const [above, below] = [units * numerator, denominator * BigInt(count)];
  return (2n * above + below) / (2n * below);
}

/** The start of the month (UTC) that is so many months after that of a moment. */
export function monthAfter(moment: Date, months: number): Date {
  return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + months, 1));
}
