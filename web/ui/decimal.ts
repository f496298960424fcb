import { isolated, locale } from '../i18n/say.ts';
import type { Wrong } from './field-fault.ts';

/** Digits stay Latin in every language: an amount has the same form here, in a wallet and on a block explorer. */
function numbers(): Intl.NumberFormat {
  return new Intl.NumberFormat(locale(), { numberingSystem: 'latn' });
}

/** A decimal string of the service with the reader's separators: "1234.50" is "1,234.50" or "1.234,50". Exact. */
export function decimal(amount: string): string {
  const [units = '', places] = amount.split('.');
  const grouped = numbers().format(BigInt(units));
  if (places === undefined) return grouped;
  const point = numbers()
    .formatToParts(0.5)
    .find(({ type }) => type === 'decimal');
  return `${grouped}${point?.value ?? '.'}${places}`;
}

/** "1,234.50 USDC". */
export function money(amount: string, ticker: string): string {
  return isolated(`${decimal(amount)} ${ticker}`);
}

/** A typed number, with a point or a comma, as the service takes it: "1.234,50" is "1234.50". null: it is none. */
export function typedDecimal(typed: string): string | null {
  const text = typed.replace(/\s/g, '');
  const point = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','));
  const whole = point === -1 ? text : text.slice(0, point);
  const places = point === -1 ? '' : text.slice(point + 1);
  const grouping = text.charAt(point) === ',' ? '.' : ',';
  const isGrouped = new RegExp(`^\\d{1,3}(\\${grouping}\\d{3})+$`).test(whole);
  if (!(isGrouped || /^\d+$/.test(whole)) || !/^\d*$/.test(places) || (point !== -1 && places === '')) return null;
  // "1,234" can be a thousand or one.
  if (text.charAt(point) === ',' && !isGrouped && places.length === 3 && whole !== '0') return null;
  return `${whole.replaceAll(grouping, '')}${places === '' ? '' : `.${places}`}`;
}

/** The fault of a typed number; null: nothing, or it is empty. */
export function wrongDecimal(typed: string): Wrong | null {
  const text = typed.trim();
  if (text === '' || typedDecimal(text) !== null) return null;
  if (/^\d+,\d{3}$/.test(text))
    return {
      text: `Write ${text.replace(',', '')} or ${text.replace(',', '.')}: ${text} can be either.`,
      isPartial: false,
    };
  return { text: 'Enter a number such as 9.90.', isPartial: /^\d+[.,]$/.test(text) };
}
