import { z } from 'zod';
import type { Metered, UsageTier } from './price-model.ts';

/** The most units of one usage record. */
export const RECORD_MAX = 1_000_000_000_000;

/** All units of a subscription since its beginning. */
export const usedUnits = z.int().nonnegative();

/** Parts of the cap, in percent. The merchant hears of each once in a period, when the use reaches it. */
export const USAGE_LEVELS = [80, 100] as const;

/** The price of a period in two parts, in base units: the charge, and what the next one has to charge. */
export interface UsageCharge {
  readonly amount: bigint;
  readonly carried: bigint;
}

/** The price of the units of one period: each unit has the price of its tier. */
export function priceOf(tiers: readonly UsageTier[], units: number): bigint {
  return tiers.reduce((sum, { above, unitAmount }, index) => {
    const inTier = Math.min(units, tiers[index + 1]?.above ?? units) - above;
    return inTier <= 0 ? sum : sum + BigInt(inTier) * BigInt(unitAmount);
  }, 0n);
}

/** The prices of the units that follow the first `units`. */
export function tiersAfter(tiers: readonly UsageTier[], units: number): UsageTier[] {
  const first = tiers.findLastIndex(({ above }) => above <= units);
  return tiers.slice(first).map((tier) => ({ ...tier, above: Math.max(0, tier.above - units) }));
}

/**
 * The charge of a period with these units, after a period that carried `carried`. Never above the cap, and nothing
 * below the least amount.
 */
export function chargeFor(
  { tiers, capAmount, leastAmount = '0' }: Metered,
  units: number,
  carried: bigint,
): UsageCharge {
  const due = carried + priceOf(tiers, units);
  if (due < BigInt(leastAmount)) return { amount: 0n, carried: due };
  const cap = BigInt(capAmount);
  return due <= cap ? { amount: due, carried: 0n } : { amount: cap, carried: due - cap };
}

/** The part of the cap that these units reach, in percent, rounded down; above 100 where they go beyond it. */
export function levelOf(model: Metered, units: number, carried: bigint): number {
  const { amount, carried: above } = chargeFor(model, units, carried);
  return Number(((amount + above) * 100n) / BigInt(model.capAmount));
}

/** How many further units the cap leaves; null: any number. */
export function unitsLeft({ tiers, capAmount }: Metered, units: number, carried: bigint): number | null {
  let budget = BigInt(capAmount) - carried - priceOf(tiers, units);
  if (budget < 0n) return 0;
  let at = units;
  for (const [index, { unitAmount }] of tiers.entries()) {
    const end = tiers[index + 1]?.above ?? null;
    if (end !== null && end <= at) continue;
    const price = BigInt(unitAmount);
    const affordable = price === 0n ? null : Number(budget / price);
    if (end === null) return affordable === null ? null : at - units + affordable;
    if (affordable !== null && affordable < end - at) return at - units + affordable;
    budget -= BigInt(end - at) * price;
    at = end;
  }
  return null;
}
