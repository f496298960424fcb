import type { Request } from 'express';
import { IntlMessageFormat } from 'intl-messageformat';
import { z } from 'zod';

/** The texts of a catalog of `web/messages/` that the service itself writes into pages. */
export const shellTexts = z.object({
  'shell.not_found': z.string(),
  'language.choose': z.string(),
  'lost.checkout': z.string(),
  'lost.authorize': z.string(),
  'lost.portal': z.string(),
  'lost.receipt': z.string(),
  'common.token_on_network': z.string(),
  'common.amount': z.string(),
  'common.test_mode': z.string(),
  'common.offer_of_merchant': z.string(),
  'change.credit': z.string(),
  'discount.title': z.string(),
  'discount.cycles': z.string(),
  'discount.forever': z.string(),
  'discount.once': z.string(),
  'receipt.title': z.string(),
  'receipt.agreed_title': z.string(),
  'receipt.number': z.string(),
  'receipt.for': z.string(),
  'receipt.refunded': z.string(),
  'receipt.date': z.string(),
  'receipt.paid': z.string(),
  'receipt.paid_on': z.string(),
  'receipt.paid_with': z.string(),
  'receipt.from': z.string(),
  'receipt.transfer': z.string(),
  'receipt.transaction': z.string(),
  'receipt.show_on': z.string(),
  'receipt.period': z.string(),
  'receipt.period_of': z.string(),
  'receipt.free_until': z.string(),
  'receipt.next_charge': z.string(),
  'receipt.first_charge': z.string(),
  'receipt.not_charged': z.string(),
  'receipt.charged': z.string(),
  'receipt.lasts': z.string(),
  'receipt.print': z.string(),
  'invoice.title': z.string(),
  'invoice.credit_note': z.string(),
  'invoice.corrects': z.string(),
  'invoice.date': z.string(),
  'invoice.to': z.string(),
  'invoice.tax_id': z.string(),
  'invoice.direct': z.string(),
  'invoice.net': z.string(),
  'invoice.tax': z.string(),
  'invoice.value': z.string(),
  'invoice.value_text': z.string(),
  'invoice.open': z.string(),
  'invoice.later': z.string(),
  'portal.next_none': z.string(),
  'portal.next_on': z.string(),
  'date.both': z.string(),
  'pause.next': z.string(),
  'pause.until': z.string(),
  'pause.by_merchant': z.string(),
  'portal.state_ended_on': z.string(),
  'shell.authorize': z.string(),
  'shell.portal': z.string(),
  'shell.needs_javascript': z.string(),
  'shell.wallet_needs_javascript': z.string(),
  'shell.offer_not_available': z.string(),
  'banner.test_mode': z.string(),
  'banner.charges_on': z.string(),
  'quantity.title': z.string(),
  'usage.used': z.string(),
  'usage.units': z.string(),
  'checkout.choose': z.string(),
  'checkout.price': z.string(),
  'checkout.name_with': z.string(),
  'checkout.once': z.string(),
  'checkout.subscription': z.string(),
  'checkout.units_left': z.string(),
  'price.recurring': z.string(),
  'price.units': z.string(),
  'price.per_unit': z.string(),
  'price.metered': z.string(),
  'price.at_most': z.string(),
  'price.included': z.string(),
  'price.threshold': z.string(),
  'price.tier': z.string(),
  'price.cap_carry': z.string(),
  'price.cap_refuse': z.string(),
  'price.trial': z.string(),
  'price.ends': z.string(),
  'price.trial_and_end': z.string(),
  'rhythm.day': z.string(),
  'rhythm.week': z.string(),
  'rhythm.month': z.string(),
  'rhythm.year': z.string(),
  'failure.insufficient_allowance': z.string(),
  'failure.insufficient_balance': z.string(),
  'failure.pull_reverted': z.string(),
  'failure.forward_reverted': z.string(),
  'failure.share_reverted': z.string(),
  'portal.why_max_cycles': z.string(),
  'portal.why_failed': z.string(),
  'receipt.open': z.string(),
  'letter.receipt_subject': z.string(),
  'letter.receipt_text': z.string(),
  'letter.renewal_subject': z.string(),
  'letter.renewal_text': z.string(),
  'letter.failed_subject': z.string(),
  'letter.failed_text': z.string(),
  'letter.next_try': z.string(),
  'letter.by_itself': z.string(),
  'letter.risk_subject': z.string(),
  'letter.risk_text': z.string(),
  'letter.risk_allowance': z.string(),
  'letter.risk_balance': z.string(),
  'letter.changed_subject': z.string(),
  'letter.changed_text': z.string(),
  'letter.paused_subject': z.string(),
  'letter.resumed_subject': z.string(),
  'letter.refunded_subject': z.string(),
  'letter.refunded_text': z.string(),
  'letter.ended_subject': z.string(),
  'letter.ended_text': z.string(),
  'letter.ended_approval': z.string(),
  'pay.approve_again': z.string(),
  'purchase.open_portal': z.string(),
  'letter.portal_hint': z.string(),
  'letter.why': z.string(),
  'letter.unsubscribe': z.string(),
  'letter.stop_title': z.string(),
  'letter.stop_text': z.string(),
  'letter.stopped': z.string(),
  'letter.weekly_subject': z.string(),
  'letter.weekly_text': z.string(),
  'letter.weekly_sums': z.string(),
  'letter.weekly_beside': z.string(),
  'letter.weekly_new': z.string(),
  'letter.weekly_ended': z.string(),
  'letter.weekly_paused': z.string(),
  'letter.weekly_failed': z.string(),
  'letter.weekly_waiting': z.string(),
  'letter.weekly_renewals': z.string(),
  'letter.weekly_dashboard': z.string(),
  'letter.weekly_why': z.string(),
  'letter.weekly_stop': z.string(),
  'letter.weekly_stopped': z.string(),
});
export type ShellTexts = z.output<typeof shellTexts>;

/** For readers whose languages no catalog has. */
const DEFAULT = 'en';

const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(['ar', 'fa', 'he', 'ur']);

export interface PageLanguage {
  /** BCP 47. */
  readonly tag: string;
  readonly direction: 'ltr' | 'rtl';
  /** The tags of all languages that pages have. */
  readonly all: readonly string[];
  readonly say: (key: keyof ShellTexts, values?: { readonly [name: string]: string | number }) => string;
  /** A day in UTC, or in the zone of `inZone`. */
  readonly day: (moment: Date | string) => string;
  /** The same with the time, and the zone named. */
  readonly time: (moment: Date | string) => string;
  /** The day of a charge; where that is another one in UTC, with its time and both. */
  readonly chargeDay: (moment: Date | string) => string;
  /** "1,234.50 USDC", as `money` of the pages: exact, in Latin digits. */
  readonly money: (amount: string, ticker: string) => string;
}

/** What the address names with `?lang=`, else the first of the reader's languages that has texts, else English. */
export function languageOf(request: Request, texts: ReadonlyMap<string, ShellTexts>): PageLanguage {
  const named = new URL(request.url, 'http://service').searchParams.get('lang') ?? '';
  const known = [DEFAULT, ...texts.keys()];
  return languageIn(texts.has(named) ? named : request.acceptsLanguages(known) || DEFAULT, texts);
}

/** The texts of this language, or English if there are none. */
export function languageIn(wanted: string, texts: ReadonlyMap<string, ShellTexts>): PageLanguage {
  const tag = texts.has(wanted) ? wanted : DEFAULT;
  const direction = RIGHT_TO_LEFT.has(tag) ? 'rtl' : 'ltr';
  return {
    tag,
    direction,
    all: [...texts.keys()].sort(),
    say: (key, values = {}) => {
      const text = texts.get(tag)?.[key];
      if (text === undefined) throw new Error(`there is no text ${key} in the language ${tag}`);
      const inserted = Object.entries(values).map(([name, value]) => [
        name,
        typeof value === 'string' ? isolated(value, direction) : value,
      ]);
      return String(new IntlMessageFormat(text, tag).format(Object.fromEntries(inserted)));
    },
    ...datesIn(tag, 'UTC'),
    chargeDay: (moment) => dateIn(tag, moment, DAY, 'UTC'),
    money: (amount, ticker) => isolated(`${decimalIn(tag, amount)} ${ticker}`, direction),
  };
}

/** The same, with the dates of this zone (docs/rules.md, "Time zones"). */
export function inZone(language: PageLanguage, timeZone: string): PageLanguage {
  const { tag, say } = language;
  const dates = datesIn(tag, timeZone);
  const chargeDay: PageLanguage['chargeDay'] = (moment) => {
    const utc = dateIn(tag, moment, DAY, 'UTC');
    return utc === dates.day(moment) ? utc : say('date.both', { local: dates.time(moment), utc });
  };
  return { ...language, ...dates, chargeDay };
}

function datesIn(tag: string, timeZone: string): Pick<PageLanguage, 'day' | 'time'> {
  return {
    day: (moment) => dateIn(tag, moment, DAY, timeZone),
    time: (moment) =>
      dateIn(tag, moment, { ...DAY, hour: '2-digit', minute: '2-digit', timeZoneName: 'short' }, timeZone),
  };
}

const DAY = { year: 'numeric', month: 'long', day: 'numeric' } as const;

function dateIn(tag: string, moment: Date | string, form: Intl.DateTimeFormatOptions, timeZone: string): string {
  return new Intl.DateTimeFormat(tag, { ...form, timeZone, numberingSystem: 'latn' }).format(new Date(moment));
}

function decimalIn(tag: string, amount: string): string {
  const numbers = new Intl.NumberFormat(tag, { numberingSystem: 'latn' });
  const [units = '', places] = amount.split('.');
  const grouped = numbers.format(BigInt(units));
  if (places === undefined) return grouped;
  const point = numbers.formatToParts(0.5).find(({ type }) => type === 'decimal');
  return `${grouped}${point?.value ?? '.'}${places}`;
}

/** On a page from right to left, text does not change the order of the words around it (Unicode UAX #9: FSI, PDI). */
function isolated(text: string, direction: PageLanguage['direction']): string {
  return direction === 'rtl' ? `\u2068${text}\u2069` : text;
}
