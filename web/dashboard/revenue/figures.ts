import { percentOf, sumOf } from '../../ui/sum.ts';
import type { Chain, Cohort, Period, Revenue } from '../merchant-api.ts';
import { currencyOf } from '../shared/currencies.ts';

export type Interval = 'day' | 'month';

/** The bars of a chart: so many days or months, with the present one. */
const SHOWN = { day: 31, month: 12 } as const;

/** The start of so many periods with the present one, the oldest first, in UTC. */
export function startsUntil(now: number, interval: Interval, count: number = SHOWN[interval]): string[] {
  const date = new Date(now);
  const at = (back: number) =>
    interval === 'day'
      ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() - back)
      : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back);
  return Array.from({ length: count }, (_, index) => new Date(at(count - 1 - index)).toISOString());
}

/** A day or month of UTC in the reader's language. */
export function dateText(start: string, interval: Interval): string {
  const parts = interval === 'day' ? ({ day: 'numeric' } as const) : ({ year: 'numeric' } as const);
  return new Date(start).toLocaleDateString(undefined, { month: 'short', ...parts, timeZone: 'UTC' });
}

/** The figures that can be added up, because their tokens count as one currency. */
export interface InCurrency {
  readonly currency: string;
  readonly recurring: Revenue['recurring'];
  readonly periods: readonly Period[];
}

/** The dollars first. */
export function byCurrency(chains: readonly Chain[], { recurring, periods }: Revenue): InCurrency[] {
  const nameOf = ({ tokenKey }: { readonly tokenKey: string }) => currencyOf(chains, tokenKey);
  const names = [...new Set([...recurring, ...periods].map(nameOf))];
  const order = (currency: string) => (currency === 'USD' ? '' : currency);
  return names
    .sort((one, other) => order(one).localeCompare(order(other)))
    .map((currency) => ({
      currency,
      recurring: recurring.filter((each) => nameOf(each) === currency),
      periods: periods.filter((each) => nameOf(each) === currency),
    }));
}

/** The part of a cohort that is left at the end of a month. */
interface Left {
  /** Of a hundred, rounded down, so that 100 means all; null: the cohort has nothing in this measure. */
  readonly percent: number | null;
  readonly left: string;
}

export interface Retention {
  /** The month, such as `2030-01`. */
  readonly month: string;
  readonly started: string;
  readonly months: readonly Left[];
}

/** The retention of each month's subscriptions: by their number (null), or by what they make in a currency. */
export function retentionOf(
  chains: readonly Chain[],
  cohorts: readonly Cohort[],
  currency: string | null,
): Retention[] {
  const own = cohorts.filter(({ tokenKey }) => currency === null || currencyOf(chains, tokenKey) === currency);
  const measured = (parts: readonly Cohort['started'][]) =>
    currency === null
      ? String(parts.reduce((sum, { subscriptions }) => sum + subscriptions, 0))
      : sumOf(parts.map(({ monthlyAmount }) => monthlyAmount));
  return [...new Set(own.map(({ start }) => start))].map((start) => {
    const its = own.filter((each) => each.start === start);
    const started = measured(its.map((each) => each.started));
    const months = (its[0]?.active ?? []).map((_, after) => {
      const left = measured(its.flatMap(({ active }) => active[after] ?? []));
      return { left, percent: percentOf(left, started) };
    });
    return { month: start.slice(0, 7), started, months };
  });
}
