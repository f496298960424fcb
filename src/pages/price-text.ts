import { type MeteredPrice, meteredTerms } from '../../machines/rules/metered-terms.ts';
import type { PageLanguage } from './language.ts';

interface PriceOfPage {
  readonly amount: string;
  readonly currency: string;
  readonly units: { readonly quantity: number } | null;
  readonly metered: MeteredPrice | null;
}

interface RecurringPrice extends PriceOfPage {
  readonly interval: 'day' | 'week' | 'month' | 'year';
  readonly intervalCount: number;
}

/** "9.90 USD"; of a price per unit "3 × 5.00 USD", of a metered one "at most 50.00 USDC". */
export function chargeText({ amount, currency, units, metered }: PriceOfPage, { say, money }: PageLanguage): string {
  if (metered !== null) return say('price.at_most', { amount: money(metered.capAmount, metered.currency) });
  const price = money(amount, currency);
  return units === null ? price : say('price.units', { quantity: units.quantity, price });
}

/** As `recurringPrice` of the pages: "9.90 USD every month". */
export function recurringText({ interval, intervalCount, ...price }: RecurringPrice, language: PageLanguage): string {
  const { say, money } = language;
  const { metered } = price;
  const rhythm = say(`rhythm.${interval}`, { count: intervalCount });
  if (metered === null) return say('price.recurring', { price: chargeText(price, language), rhythm });
  return say('price.metered', { price: money(metered.tiers[0]?.amount ?? '0', metered.currency), rhythm });
}

/** "9.90 USD every month, the first 14 days free". */
export function withConditions(price: string, conditions: string, { say }: PageLanguage): string {
  return price === '' || conditions === ''
    ? price || conditions
    : say('price.trial_and_end', { trial: price, end: conditions });
}

/** As `conditionsOf` of the pages. */
export function conditionsOf(
  {
    metered,
    trialDays,
    maxCycles,
  }: Pick<PriceOfPage, 'metered'> & {
    readonly trialDays: number | null;
    readonly maxCycles: number | null;
  },
  { say, money }: PageLanguage,
): string[] {
  return [
    ...(trialDays && metered === null ? [say('price.trial', { days: trialDays })] : []),
    ...(metered === null ? [] : meteredTerms(metered, say, money)),
    ...(maxCycles === null ? [] : [say('price.ends', { payments: maxCycles })]),
  ];
}

/** They in one line; empty if there are none. */
export function conditionsText(option: Parameters<typeof conditionsOf>[0], language: PageLanguage): string {
  return conditionsOf(option, language).reduce((all, each) => withConditions(all, each, language), '');
}
