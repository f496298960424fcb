import type { Request } from 'express';
import { IntlMessageFormat } from 'intl-messageformat';
import { z } from 'zod';

/** The texts of a catalog of `web/messages/` that the service itself writes into pages. */
export const shellTexts = z.object({
  'shell.not_found': z.string(),
  'shell.authorize': z.string(),
  'shell.portal': z.string(),
  'shell.needs_javascript': z.string(),
  'shell.wallet_needs_javascript': z.string(),
  'shell.offer_not_available': z.string(),
  'shell.test_mode': z.string(),
  'shell.price_once': z.string(),
  'shell.price_recurring': z.string(),
  'shell.price_after_trial': z.string(),
  'rhythm.day': z.string(),
  'rhythm.week': z.string(),
  'rhythm.month': z.string(),
  'rhythm.year': z.string(),
});
export type ShellTexts = z.output<typeof shellTexts>;

/** For readers whose languages no catalog has. */
const DEFAULT = 'en';

const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(['ar', 'fa', 'he', 'ur']);

export interface PageLanguage {
  /** BCP 47. */
  readonly tag: string;
  readonly direction: 'ltr' | 'rtl';
  readonly say: (key: keyof ShellTexts, values?: { readonly [name: string]: string | number }) => string;
}

/** What the address names with `?lang=`, else the first of the reader's languages that has texts, else English. */
export function languageOf(request: Request, texts: ReadonlyMap<string, ShellTexts>): PageLanguage {
  const named = new URL(request.url, 'http://service').searchParams.get('lang') ?? '';
  const known = [DEFAULT, ...texts.keys()];
  const tag = texts.has(named) ? named : request.acceptsLanguages(known) || DEFAULT;
  const direction = RIGHT_TO_LEFT.has(tag) ? 'rtl' : 'ltr';
  return {
    tag,
    direction,
    say: (key, values = {}) => {
      const text = texts.get(tag)?.[key];
      if (text === undefined) throw new Error(`there is no text ${key} in the language ${tag}`);
      return String(new IntlMessageFormat(text, tag).format(direction === 'rtl' ? isolated(values) : values));
    },
  };
}

/** Text from left to right must not change the order of the words around it (Unicode UAX #9: FSI and PDI). */
function isolated(values: { readonly [name: string]: string | number }) {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? `\u2068${value}\u2069` : value]),
  );
}
