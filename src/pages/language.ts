import type { Request } from 'express';
import { IntlMessageFormat } from 'intl-messageformat';
import type EN from '../../web/messages/en.json';

/** All texts of a language, as its catalog in `web/messages/` has them. */
export type ShellTexts = { readonly [key: string]: string };

/** The name of a text, which every catalog has. */
export type ShellText = keyof typeof EN;

/** For readers whose languages no catalog has. */
const DEFAULT = 'en';

const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(['ar', 'fa', 'he', 'ur']);

export interface PageLanguage {
  /** BCP 47. */
  readonly tag: string;
  readonly direction: 'ltr' | 'rtl';
  /** The tags of all languages that pages have. */
  readonly all: readonly string[];
  readonly say: (key: ShellText, values?: { readonly [name: string]: string | number }) => string;
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
