import { Blocked } from '../troubles.ts';
import { quantity, type WireBlock } from './wire.ts';

/** What a transaction offers for its gas, in wei (EIP-1559). */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** Where a node does not say what tip is usual. */
const USUAL_TIP = 1_000_000_000n;

/** No node is believed that more than this is usual: 1,000 gwei. */
const MOST_TIP = 1_000_000_000_000n;

/** A replacement offers at most so many times what the market asks for. */
export const FEE_CAP = 4n;

/**
 * What the market asks for: headroom for the base fee to double, which takes at least six full blocks. What is not needed
 * is not paid.
 * @param tip what the node suggested (`eth_maxPriorityFeePerGas`); null: it does not say
 */
export function feesOf(block: WireBlock, tip: unknown): Fees {
  const suggested = quantity.safeParse(tip);
  const wanted = suggested.success ? suggested.data : USUAL_TIP;
  const maxPriorityFeePerGas = wanted < MOST_TIP ? wanted : MOST_TIP;
  return { maxFeePerGas: baseFeeOf(block) * 2n + maxPriorityFeePerGas, maxPriorityFeePerGas };
}

/** @throws Blocked where the chain has none */
export function baseFeeOf({ baseFeePerGas }: WireBlock): bigint {
  if (baseFeePerGas === null || baseFeePerGas === undefined) {
    throw new Blocked('the chain has no base fee: EIP-1559 is needed');
  }
  return baseFeePerGas;
}

/**
 * What takes the place of a transaction that offers `old`: at least an eighth more in both fields (nodes want a tenth), and
 * at least what the market asks for. Null: that would be more than `FEE_CAP` times the market.
 */
export function replacementFees(old: Fees, market: Fees): Fees | null {
  const maxFeePerGas = larger(raised(old.maxFeePerGas), market.maxFeePerGas);
  const tip = larger(raised(old.maxPriorityFeePerGas), market.maxPriorityFeePerGas);
  if (maxFeePerGas > market.maxFeePerGas * FEE_CAP) return null;
  return { maxFeePerGas, maxPriorityFeePerGas: tip };
}

function raised(fee: bigint): bigint {
  return fee + fee / 8n + 1n;
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
