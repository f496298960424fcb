import { Blocked } from '../troubles.ts';
import { quantity, type WireBlock } from './wire.ts';

/** What a transaction offers for its gas, in wei (EIP-1559). */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** Where a node does not say what tip is usual. */
const USUAL_TIP = 1_000_000_000n;

/**
 * Headroom for the base fee to double, which takes at least six full blocks. What is not needed is not paid.
 * @param tip what the node suggested (`eth_maxPriorityFeePerGas`); null: it does not say
 */
export function feesOf(block: WireBlock, tip: unknown): Fees {
  if (block.baseFeePerGas === null || block.baseFeePerGas === undefined) {
    throw new Blocked('the chain has no base fee: EIP-1559 is needed');
  }
  const suggested = quantity.safeParse(tip);
  const maxPriorityFeePerGas = suggested.success ? suggested.data : USUAL_TIP;
  return { maxFeePerGas: block.baseFeePerGas * 2n + maxPriorityFeePerGas, maxPriorityFeePerGas };
}
