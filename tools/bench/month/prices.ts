import { PRICE } from '../settlement/market.ts';

/** With the fee of 1 %, every step changes the merchant's share by a whole number of base units. */
const STEP = 100n;
const BPS = 10_000n;

/** The price of subscription `index`. No two are equal, so a transfer tells its subscription. */
export function priceOf(index: number): bigint {
  return PRICE + STEP * BigInt(index);
}

/** The subscription with this price; null: none has it. */
export function indexOfPrice(price: bigint): number | null {
  const index = Number((price - PRICE) / STEP);
  return index >= 0 && priceOf(index) === price ? index : null;
}

/** The number of the subscription with this merchant's share; null: none has it. */
export function indexOfShare(share: bigint, feeBps: number): number | null {
  const part = BPS - BigInt(feeBps);
  return (share * BPS) % part === 0n ? indexOfPrice((share * BPS) / part) : null;
}
