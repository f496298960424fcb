import type { PageLanguage } from './language.ts';

interface PriceOfPage {
  readonly amount: string;
  readonly currency: string;
  readonly units: { readonly quantity: number } | null;
}

/** "9.90 USD"; of a price per unit "3 × 5.00 USD". */
export function chargeText({ amount, currency, units }: PriceOfPage, { say, money }: PageLanguage): string {
  const price = money(amount, currency);
  return units === null ? price : say('price.units', { quantity: units.quantity, price });
}
