import { LANGUAGES } from './languages.ts';
import { speak } from './say.ts';

/** Loads the texts of the language that the service has chosen, before the page shows anything. */
export async function loadLanguage(): Promise<void> {
  const { lang, dir } = document.documentElement;
  const texts = await LANGUAGES[lang]?.texts();
  if (texts === undefined) throw new Error(`there are no texts in the language "${lang}"`);
  speak(localeFor(lang, navigator.languages), texts.default, dir === 'rtl');
}

/**
 * The reader's own variant of the language, such as `en-GB`. Digits stay Latin in every language, so that an amount has
 * the same form here, in a wallet and on a block explorer. The calendar is that of letters and receipts.
 */
function localeFor(lang: string, wanted: readonly string[]): string {
  const own = wanted.find((each) => each === lang || each.startsWith(`${lang}-`)) ?? lang;
  return new Intl.Locale(own, { numberingSystem: 'latn', calendar: 'gregory' }).toString();
}

/** The present address in another language; the session in its fragment, and its other parameters, stay. */
export function addressIn(lang: string): string {
  const url = new URL(location.href);
  url.searchParams.set('lang', lang);
  return url.href;
}

/**
 * An address of this service, with the language that the payer has chosen; without a choice, the next browser decides.
 */
export function inChosenLanguage(address: string): string {
  const chosen = new URLSearchParams(location.search).get('lang');
  if (chosen === null) return address;
  const url = new URL(address);
  url.searchParams.set('lang', chosen);
  return url.href;
}
