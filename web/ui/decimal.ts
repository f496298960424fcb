import { isolated, locale } from '../i18n/say.ts';

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
