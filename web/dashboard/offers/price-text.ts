import { priceOf } from '../../pay/words.ts';
import type { PricingOption } from '../merchant-api.ts';

/** "9.90 USD every month"; "5.00 USD per unit every month, 1 to 10 units". */
export function priceText(option: PricingOption): string {
  const { model, minQuantity, maxQuantity } = option;
  if (model === 'fixed') return priceOf({ ...option, units: null });
  const [min, max] = [minQuantity ?? 1, maxQuantity ?? 1];
  const price = priceOf({ ...option, units: { quantity: min, min, max, changedBy: 'customer' } });
  return `${price}, ${min} to ${max} units`;
}

/** "3 × 5.00 USD every month". */
export function priceOfQuantity(option: PricingOption, quantity: number | null): string {
  if (quantity === null) return priceText(option);
  return priceOf({ ...option, units: { quantity, min: quantity, max: quantity, changedBy: 'merchant' } });
}
