import { distinctNames } from '../../machines/rules/distinct-names.ts';
import { type MeteredPrice, meteredTerms } from '../../machines/rules/metered-terms.ts';
import type { Interval, Option, Quote } from '../../src/checkout/wire.ts';
import type { Price } from '../../src/portal/wire.ts';
import { locale, say } from '../i18n/say.ts';
import { money } from '../ui/decimal.ts';

/** "every month", "every 3 months". */
export function rhythm(interval: Interval, count: number): string {
  return say(`rhythm.${interval}`, { count });
}

/** "9.90 USD every month"; "3 × 5.00 USD every month"; "0.01 USD per unit used, charged every month". */
export function recurringPrice({ amount, currency, interval, intervalCount, units, metered }: Price): string {
  const every = rhythm(interval, intervalCount);
  if (metered !== null) return say('price.metered', { price: unitPriceOf(metered), rhythm: every });
  const price = money(amount, currency);
  return say('price.recurring', {
    price: units === null ? price : say('price.units', { quantity: units.quantity, price }),
    rhythm: every,
  });
}

/** The price of the first unit that is not included. */
function unitPriceOf({ tiers, currency }: MeteredPrice): string {
  return money(tiers[0]?.amount ?? '0', currency);
}

/** "at most 50.00 USDC". */
export function atMost({ capAmount, currency }: Pick<MeteredPrice, 'capAmount' | 'currency'>): string {
  return say('price.at_most', { amount: money(capAmount, currency) });
}

/** "9.90 USD every month"; for a one-time option only the price, where the payer chooses the units that of one. */
export function priceOf(option: Pick<Option, 'amount' | 'currency' | 'billing' | 'units' | 'metered'>) {
  const { amount, currency, billing, units, metered } = option;
  const { type, interval, intervalCount } = billing;
  if (type === 'one_time' || interval === null) return money(amount, currency);
  const every = { interval, intervalCount: intervalCount ?? 1 };
  if (units?.changedBy !== 'customer') return recurringPrice({ amount, currency, ...every, units, metered });
  const price = say('price.per_unit', { price: money(amount, currency) });
  return say('price.recurring', { price, rhythm: rhythm(every.interval, every.intervalCount) });
}

/** "the first 14 days free", "ends after 12 payments"; of a metered price its terms. */
export function conditionsOf({ trialDays, maxCycles, metered }: Pick<Option, 'trialDays' | 'maxCycles' | 'metered'>) {
  return [
    ...(trialDays && metered === null ? [say('price.trial', { days: trialDays })] : []),
    ...(metered === null ? [] : meteredTerms(metered, say, money)),
    ...(maxCycles === null ? [] : [say('price.ends', { payments: maxCycles })]),
  ];
}

/**
 * The names of an offer's options, each different: the merchant's label or the kind, with what tells options of one
 * name apart, or a number.
 */
export function namesOf(options: readonly Option[]): string[] {
  const kindOf = ({ billing: { type } }: Option) =>
    say(type === 'one_time' ? 'checkout.once' : 'checkout.subscription');
  return distinctNames(
    options,
    (option) => option.label ?? kindOf(option),
    [rhythmOf, priceOf, conditionsTextOf, (_option, index) => `${index + 1}`],
    (name, detail) => say('checkout.name_with', { name, detail }),
  );
}

function conditionsTextOf(option: Option): string {
  const [first = '', ...further] = conditionsOf(option);
  return further.reduce((trial, end) => say('price.trial_and_end', { trial, end }), first);
}

function rhythmOf({ billing: { interval, intervalCount } }: Option): string {
  return interval === null ? '' : rhythm(interval, intervalCount ?? 1);
}

/** What a change of the price costs now, and later. Amounts are decimal strings; `at` null: it is at once. */
export function costOf({ at, paidUntil, now, credit, later }: Quote, ticker: string): string {
  const values = { later: money(later, ticker), date: dateOf(at ?? paidUntil ?? '') };
  if (at !== null) return say('change.later', values);
  if (now === later) return say('change.now', values);
  return say('change.credited', { ...values, now: money(now, ticker), credit: money(credit, ticker) });
}

/** A date in the format of the reader's locale. */
export function dateOf(moment: string): string {
  return new Date(moment).toLocaleDateString(locale(), { dateStyle: 'long' });
}

/** The date of a charge. Charges keep their moments in UTC: where that is another day, its time and both days. */
export function chargeDateOf(moment: string): string {
  const at = new Date(moment);
  const utc = at.toLocaleDateString(locale(), { dateStyle: 'long', timeZone: 'UTC' });
  if (utc === dateOf(moment)) return utc;
  const day = { year: 'numeric', month: 'long', day: 'numeric' } as const;
  const time = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;
  return say('date.both', { local: at.toLocaleString(locale(), { ...day, ...time }), utc });
}

/** The beginning and the end of an address or a hash. */
export function shortened(text: string): string {
  return text.length <= 16 ? text : `${text.slice(0, 6)}…${text.slice(-4)}`;
}
