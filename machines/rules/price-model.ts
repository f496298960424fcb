import { z } from 'zod';
import { baseUnits } from '../effects.ts';

/** The most units of one subscription. */
export const QUANTITY_MAX = 1_000_000;

/** A number of units. */
export const quantity = z.int().min(1).max(QUANTITY_MAX);

/** Who may change the quantity; the merchant always may. */
export const quantityChanger = z.enum(['merchant', 'customer']);

/** What an option of an offer says about its quantity. */
const quantityLimits = z.strictObject({
  minQuantity: quantity,
  maxQuantity: quantity,
  quantityChangedBy: quantityChanger,
});
export type QuantityLimits = z.infer<typeof quantityLimits>;

/** The price of each unit of a period above `above`, up to the next tier, in base units. */
const usageTier = z.strictObject({ above: z.int().nonnegative(), unitAmount: baseUnits });
export type UsageTier = z.infer<typeof usageTier>;

/** What happens to usage above the cap of a charge: the next cycle charges it, or it is not accepted. */
export const aboveCap = z.enum(['carry', 'refuse']);

const metered = z.strictObject({
  kind: z.literal('metered'),
  /** Ascending; the first is above 0. Included units are a tier that costs nothing. */
  tiers: z.array(usageTier).min(1),
  /** No charge is more than this, in base units. */
  capAmount: baseUnits,
  /** No charge is less than this, in base units: the next cycle has it. Absent: an older price, with any charge. */
  leastAmount: baseUnits.exactOptional(),
  aboveCap,
  /** A charge is made as soon as the open use costs so much, in base units. Absent: only at the end of a period. */
  thresholdAmount: baseUnits.exactOptional(),
  /** All charges of any 30 days are at most this. It comes with the threshold. */
  windowCapAmount: baseUnits.exactOptional(),
});
export type Metered = z.infer<typeof metered>;

/** How the amount of a charge varies, within what the payer has signed. A fixed price has none of these. */
export const priceModel = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('per_unit'), unitAmount: baseUnits, quantity, ...quantityLimits.shape }),
  metered,
]);
export type PriceModel = z.infer<typeof priceModel>;

/** A price per unit of use as the offer has it: amounts in the currency of the price. */
export interface MeteredOption {
  readonly kind: 'metered';
  readonly includedUnits: number;
  readonly tiers: readonly { readonly above: number; readonly amount: string }[];
  readonly capAmount: string;
  readonly aboveCap: z.infer<typeof aboveCap>;
  /** Both or neither. */
  readonly thresholdAmount?: string;
  readonly windowCapAmount?: string;
}

/** The model of an option of an offer: it has no quantity, because each subscription has its own. */
export type OptionModel = ({ readonly kind: 'per_unit' } & Readonly<QuantityLimits>) | MeteredOption;

/** The amount of a charge, and what it follows from; absent: a fixed amount. */
interface Priced {
  readonly amount: string;
  readonly model?: PriceModel;
}

/** The base units of the next charge; of a metered price, whose cycle is not open yet, the most. */
export function amountOf(model: PriceModel): bigint {
  switch (model.kind) {
    case 'per_unit':
      return BigInt(model.unitAmount) * BigInt(model.quantity);
    case 'metered':
      return BigInt(model.capAmount);
  }
}

/** The most base units of any charge under these terms: the mandate signs this. */
export function capOf({ amount, model }: Priced): bigint {
  switch (model?.kind) {
    case undefined:
      return BigInt(amount);
    case 'per_unit':
      return BigInt(model.unitAmount) * BigInt(model.maxQuantity);
    case 'metered':
      return BigInt(model.capAmount);
  }
}

/** The most base units of all charges in any 30 days: the mandate signs this too. null: no such limit. */
export function windowCapOf({ model }: Pick<Priced, 'model'>): bigint | null {
  return model?.kind !== 'metered' || model.windowCapAmount === undefined ? null : BigInt(model.windowCapAmount);
}

/** The units that the next charge is for; null: the price has no quantity. */
export function quantityOf({ model }: Pick<Priced, 'model'>): number | null {
  switch (model?.kind) {
    case undefined:
    case 'metered':
      return null;
    case 'per_unit':
      return model.quantity;
  }
}

export function isWithin(units: number, { minQuantity, maxQuantity }: QuantityLimits): boolean {
  return units >= minQuantity && units <= maxQuantity;
}

/** The same terms for another number of units; those of a price without a quantity do not change. */
export function withQuantity<T extends Priced>(terms: T, units: number): T {
  switch (terms.model?.kind) {
    case undefined:
    case 'metered':
      return terms;
    case 'per_unit': {
      const model = { ...terms.model, quantity: units };
      return { ...terms, model, amount: amountOf(model).toString() };
    }
  }
}
