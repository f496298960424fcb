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

/** The exact sum of decimal strings. */
export function sumOf(amounts: readonly string[]): string {
  const places = decimalsOf(amounts);
  return shifted(unitsOf(amounts, places), places);
}

/** What an amount leaves after these; never less than zero. */
export function restOf(amount: string, taken: readonly string[]): string {
  const places = decimalsOf([amount, ...taken]);
  const rest = unitsOf([amount], places) - unitsOf(taken, places);
  return shifted(rest > 0n ? rest : 0n, places);
}

export function isLess(amount: string, other: string): boolean {
  const places = decimalsOf([amount, other]);
  return unitsOf([amount], places) < unitsOf([other], places);
}

function decimalsOf(amounts: readonly string[]): number {
  return Math.max(2, ...amounts.map((amount) => fractionOf(amount).length));
}

function unitsOf(amounts: readonly string[], places: number): bigint {
  const units = amounts.map((amount) => BigInt(amount.split('.')[0] + fractionOf(amount).padEnd(places, '0')));
  return units.reduce((sum, each) => sum + each, 0n);
}

/** A decimal string with two digits after its point, to the nearest; all of its digits if two would say nothing. */
export function cents(amount: string): string {
  const places = fractionOf(amount);
  const units = BigInt(amount.split('.')[0] + places.slice(0, 2).padEnd(2, '0')) + (places.charAt(2) >= '5' ? 1n : 0n);
  return units === 0n && /[1-9]/.test(places) ? amount : shifted(units, 2);
}

function fractionOf(amount: string): string {
  return amount.split('.')[1] ?? '';
}

/** Base units as a decimal string in token units: 9900000 with 6 decimals is "9.900000". */
export function shifted(units: bigint, places: number): string {
  const digits = units.toString().padStart(places + 1, '0');
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** How many of a hundred one amount is of another, rounded down; null: the other is nothing. */
export function percentOf(part: string, whole: string): number | null {
  const places = decimalsOf([part, whole]);
  const below = unitsOf([whole], places);
  return below === 0n ? null : Number((unitsOf([part], places) * 100n) / below);
}

/** Base units of a decimal amount; null: not an amount, or more decimal places than the token has. */
export function parseUnits(text: string, decimals: number): bigint | null {
  const match = /^(\d{1,30})(?:[.,](\d+))?$/.exec(text.trim());
  const [, whole = '', places = ''] = match ?? [];
  if (match === null || places.length > decimals) return null;
  return BigInt(whole + places.padEnd(decimals, '0'));
}

/** A decimal amount times a whole number, exact, with as many decimals. */
export function times(amount: string, count: number): string {
  const places = fractionOf(amount).length;
  return shifted(unitsOf([amount], places) * BigInt(count), places);
}
