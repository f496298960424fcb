/** A discount as pages and receipts show it. */
export interface DiscountWords {
  readonly percentOff: string | null;
  readonly amountOff: string | null;
  readonly cyclesLeft: number | null;
  /** It is off the one charge of a purchase; absent: off those of a subscription. */
  readonly isOnce?: boolean;
}

interface Language {
  /** BCP 47. */
  readonly tag: string;
  readonly say: (
    key: 'discount.forever' | 'discount.cycles' | 'discount.once',
    values: { readonly [name: string]: string | number },
  ) => string;
  readonly money: (amount: string, ticker: string) => string;
}

/** "25% off the next 3 charges". */
export function discountWords(
  { percentOff, amountOff, cyclesLeft, isOnce = false }: DiscountWords,
  ticker: string,
  { tag, say, money }: Language,
): string {
  const percent = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 2, numberingSystem: 'latn' });
  const off = percentOff === null ? money(amountOff ?? '0', ticker) : percent.format(Number(percentOff) / 100);
  if (isOnce) return say('discount.once', { off });
  return cyclesLeft === null ? say('discount.forever', { off }) : say('discount.cycles', { off, charges: cyclesLeft });
}

/** "2.50 USDC (WELCOME)". */
export function withCode(text: string, { code }: { readonly code: string | null }): string {
  return code === null ? text : `${text} (${code})`;
}
