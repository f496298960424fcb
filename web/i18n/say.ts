import { IntlMessageFormat } from 'intl-messageformat';
import type EN from '../messages/en.json';

/** The name of a text in the catalogs of `web/messages/`. */
export type MessageKey = keyof typeof EN;

/** All texts in one language, in the ICU MessageFormat. */
export type Catalog = { readonly [K in MessageKey]: string };

interface Language {
  readonly locale: string;
  readonly isRightToLeft: boolean;
  readonly catalog: Catalog;
  readonly formats: Map<MessageKey, IntlMessageFormat>;
}

let present: Language | null = null;

/** From now on `say` speaks this language. `locale`: a BCP 47 tag, for the forms of numbers and dates. */
export function speak(locale: string, catalog: Catalog, isRightToLeft = false): void {
  present = { locale, catalog, isRightToLeft, formats: new Map() };
}

function language(): Language {
  if (present === null) throw new Error('no language is loaded');
  return present;
}

/** For `Intl`: the language of the page, in the variant of the reader. */
export function locale(): string {
  return language().locale;
}

/**
 * Where the page reads from right to left, keeps an inserted text together: without this, "0xA…" or "10.00 USDC"
 * changes the order of the words around it (Unicode UAX #9: FSI and PDI).
 */
export function isolated(text: string): string {
  return language().isRightToLeft ? `\u2068${text}\u2069` : text;
}

/** The text in the language of the page. Throws if a value is missing. */
export function say(key: MessageKey, values: { readonly [name: string]: string | number } = {}): string {
  return sayRich<string>(key, values).join('');
}

/** As `say`, with elements: a value may be one, and the function of a tag in the text makes one of its content. */
export function sayRich<T>(
  key: MessageKey,
  values: { readonly [name: string]: string | number | T | ((parts: (string | T)[]) => T) },
): (string | T)[] {
  const inserted = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? isolated(value) : value,
  ]);
  const parts = formatOf(key).format<T>(Object.fromEntries(inserted));
  return Array.isArray(parts) ? parts : [parts];
}

function formatOf(key: MessageKey): IntlMessageFormat {
  const { formats, catalog, locale: tag } = language();
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new IntlMessageFormat(catalog[key], tag);
  formats.set(key, made);
  return made;
}
