import { priceWords } from '../../machines/rules/price-words.ts';
import type { Quote } from '../../src/checkout/wire.ts';
import { locale, say } from '../i18n/say.ts';
import { money } from '../ui/decimal.ts';

export const { rhythm, atMost, recurringPrice, priceOf, conditionsOf, namesOf } = priceWords({ say, money });

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
