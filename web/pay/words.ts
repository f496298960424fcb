import type { Interval, Option } from '../../src/checkout/wire.ts';
import { money } from '../ui/decimal.ts';

/** "every month", "every 3 months". */
export function rhythm(interval: Interval, count: number): string {
  return count === 1 ? `every ${interval}` : `every ${count} ${interval}s`;
}

/** "9.90 USD every month"; for a one-time option only the price. */
export function priceOf({ amount, currency, billing }: Pick<Option, 'amount' | 'currency' | 'billing'>): string {
  const { type, interval, intervalCount } = billing;
  const price = money(amount, currency);
  return type === 'one_time' || interval === null ? price : `${price} ${rhythm(interval, intervalCount ?? 1)}`;
}

/** "the first 14 days free, ends after 12 payments"; empty if there are no conditions. */
export function conditionsOf({ trialDays, maxCycles }: Pick<Option, 'trialDays' | 'maxCycles'>): string {
  const trial = trialDays === null || trialDays === 0 ? [] : [`the first ${plural(trialDays, 'day')} free`];
  const most = maxCycles === null ? [] : [`ends after ${plural(maxCycles, 'payment')}`];
  return [...trial, ...most].join(', ');
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A date in the format of the reader's locale. */
export function dateOf(moment: string): string {
  return new Date(moment).toLocaleDateString(undefined, { dateStyle: 'long' });
}

/** The beginning and the end of an address or a hash. */
export function shortened(text: string): string {
  return text.length <= 16 ? text : `${text.slice(0, 6)}…${text.slice(-4)}`;
}
