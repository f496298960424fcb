import { z } from 'zod';
import { baseUnits } from '../effects.ts';

/** 100 percent, in hundredths of a percent. */
const ALL = 10_000n;

/** A discount that a subscription has: a copy of its coupon, so a charge never reads that. */
export const discount = z.strictObject({
  couponId: z.string(),
  /** As payers type it; null: only the merchant gives it. */
  code: z.string().nullable(),
  off: z.discriminatedUnion('kind', [
    /** Hundredths of a percent. */
    z.strictObject({ kind: z.literal('percent'), bps: z.int().min(1).max(Number(ALL)) }),
    /** Base units of this token: off charges in it alone. `shown`: as the coupon has it. */
    z.strictObject({ kind: z.literal('amount'), tokenKey: z.string(), amount: baseUnits, shown: z.string() }),
  ]),
  /** The cycles that still have it; null: all. */
  cyclesLeft: z.int().nonnegative().nullable(),
});
export type Discount = z.infer<typeof discount>;

interface Price {
  readonly tokenKey: string;
  readonly amount: string;
}

/**
 * What a discount takes off a charge of this price, in base units: rounded down, and never more than the price. The
 * price has the quantity or the use in it; a credit lowers the rest.
 */
export function discountOn(of: Discount | undefined, { tokenKey, amount }: Price): bigint {
  if (of === undefined || of.cyclesLeft === 0) return 0n;
  const price = BigInt(amount);
  if (of.off.kind === 'percent') return (price * BigInt(of.off.bps)) / ALL;
  if (of.off.tokenKey !== tokenKey) return 0n;
  const off = BigInt(of.off.amount);
  return off < price ? off : price;
}

/** The rest of this price, in base units; 0: the period is free. */
export function lessDiscount(of: Discount | undefined, price: Price): bigint {
  return BigInt(price.amount) - discountOn(of, price);
}

/** One more cycle has had the discount. */
export function afterCycle(of: Discount): Discount {
  return of.cyclesLeft === null ? of : { ...of, cyclesLeft: Math.max(0, of.cyclesLeft - 1) };
}
