import { Blocked } from '../troubles.ts';
import { quantity, type WireBlock } from './wire.ts';

/** The fees that a transaction offers for its gas, in wei (EIP-1559). */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** The tip in wei if a node suggests none. */
const USUAL_TIP = 1_000_000_000n;

/** A replacement offers at most this many times the fees of the market. */
export const FEE_CAP = 4n;

/**
 * The fees that the market asks for. The base fee may double, which takes at least six full blocks; the chain does not
 * charge the unused part.
 * @param tip the node's suggestion (`eth_maxPriorityFeePerGas`); null: it has none
 * @param tipMax the most that is offered, whatever the node suggests: a tip is paid in full, so a node that lies could
 * empty the sender
 */
export function feesOf(block: WireBlock, tip: unknown, tipMax: bigint): Fees {
  const suggested = quantity.safeParse(tip);
  const maxPriorityFeePerGas = smaller(suggested.success ? suggested.data : USUAL_TIP, tipMax);
  return { maxFeePerGas: baseFeeOf(block) * 2n + maxPriorityFeePerGas, maxPriorityFeePerGas };
}

/** @throws Blocked if the chain has none */
export function baseFeeOf({ baseFeePerGas }: WireBlock): bigint {
  if (baseFeePerGas === null || baseFeePerGas === undefined) {
    throw new Blocked('the chain has no base fee: EIP-1559 is needed');
  }
  return baseFeePerGas;
}

/**
 * The fees for a replacement of a transaction that offers `old`: at least an eighth more in both fields (nodes require
 * a tenth), and at least the fees of the market. Null: that would be more than `FEE_CAP` times the market's fees, or
 * `FEE_CAP` times the chain's `tipMax`.
 */
export function replacementFees(old: Fees, market: Fees, tipMax: bigint): Fees | null {
  const maxFeePerGas = larger(raised(old.maxFeePerGas), market.maxFeePerGas);
  const tip = larger(raised(old.maxPriorityFeePerGas), market.maxPriorityFeePerGas);
  if (maxFeePerGas > market.maxFeePerGas * FEE_CAP || tip > tipMax * FEE_CAP) return null;
  return { maxFeePerGas, maxPriorityFeePerGas: tip };
}

function raised(fee: bigint): bigint {
  return fee + fee / 8n + 1n;
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
