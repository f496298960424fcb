import type { MeteredPrice } from '../../../machines/rules/metered-terms.ts';
import { priceOf } from '../../pay/words.ts';
import type { PricingOption } from '../merchant-api.ts';

/** "9.90 USD every month"; "5.00 USD per unit every month, 1 to 10 units"; "0.01 USD per unit used, …". */
export function priceText(option: PricingOption): string {
  const { model, minQuantity, maxQuantity } = option;
  if (model !== 'per_unit') return priceOf({ ...option, units: null, metered: meteredOf(option) });
  const [min, max] = [minQuantity ?? 1, maxQuantity ?? 1];
  const units = { quantity: min, min, max, changedBy: 'customer' } as const;
  return `${priceOf({ ...option, units, metered: null })}, ${min} to ${max} units`;
}

/** null: the price is not metered. */
export function meteredOf({ amount, currency, ...option }: PricingOption): MeteredPrice | null {
  const { includedUnits, tiers, capAmount, aboveCap, thresholdAmount, windowCapAmount } = option;
  if (includedUnits === null || tiers === null || capAmount === null || aboveCap === null) return null;
  return {
    ...{ currency, tiers: [{ above: includedUnits, amount }, ...tiers], capAmount, aboveCap },
    ...(thresholdAmount === null || windowCapAmount === null ? {} : { thresholdAmount, windowCapAmount }),
  };
}

/** "3 × 5.00 USD every month". */
export function priceOfQuantity(option: PricingOption, quantity: number | null): string {
  if (quantity === null) return priceText(option);
  const units = { quantity, min: quantity, max: quantity, changedBy: 'merchant' } as const;
  return priceOf({ ...option, units, metered: null });
}
