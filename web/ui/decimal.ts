/** Digits stay Latin in every language: an amount has the same form here, in a wallet and on a block explorer. */
const NUMBERS = new Intl.NumberFormat(undefined, { numberingSystem: 'latn' });
const POINT = NUMBERS.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.';

/** A decimal string of the service with the reader's separators: "1234.50" is "1,234.50" or "1.234,50". Exact. */
export function decimal(amount: string): string {
  const [units = '', places] = amount.split('.');
  const grouped = NUMBERS.format(BigInt(units));
  return places === undefined ? grouped : `${grouped}${POINT}${places}`;
}

/** "1,234.50 USDC". */
export function money(amount: string, ticker: string): string {
  return `${decimal(amount)} ${ticker}`;
}
