import type { BlockRef } from '../../../store/collections.ts';
import type { Stage } from '../../reconciler/move-transactions.ts';
import type { WireReceipt } from '../wire.ts';

/** The newest blocks of a chain. */
export interface Ends {
  readonly head: number;
  /** Null: the chain has no such tag. */
  readonly finalized: number | null;
  /** Blocks, its own included, that make a transaction final. */
  readonly confirmations: number;
}

/** The status of one transaction on the chain. */
export type TransactionStatus =
  | { readonly kind: 'included'; readonly receipt: WireReceipt; readonly stage: Stage }
  /**
   * In no block. `known`: the transaction still waits in a node's pool. `displaced`: another transaction has its nonce
   * in this block or before it; null: it can still land.
   */
  | { readonly kind: 'absent'; readonly known: boolean; readonly displaced: BlockRef | null }
  /** Another transaction has its nonce in a deep enough block; `isFinal`: in a block that never changes again. */
  | { readonly kind: 'expired'; readonly isFinal: boolean }
  /** No node gave an answer, or nodes contradict themselves or one another. They are asked again. */
  | { readonly kind: 'unsure' };

/** Without the tag a block is finalized at this many times the depth (docs/rules.md, "Payments": Final). */
const FINALIZED_DEPTHS = 4;

/** True if a block is so deep that its hash has to be compared with the chain's. */
export function isDeepEnough(block: number, { head, confirmations }: Ends): boolean {
  return head - block + 1 >= confirmations;
}

/**
 * The status of a transaction with this receipt, as one node has it.
 * @param canonical the hash of the node's block at that height; null: not asked, or no answer
 */
export function judge(receipt: WireReceipt, canonical: string | null, ends: Ends): TransactionStatus {
  if (!isDeepEnough(receipt.blockNumber, ends)) return { kind: 'included', receipt, stage: 'mined' };
  if (canonical !== receipt.blockHash) return { kind: 'unsure' };
  return { kind: 'included', receipt, stage: isFinalized(receipt.blockNumber, ends) ? 'finalized' : 'final' };
}

/** True if a block of the chain never changes again. */
export function isFinalized(block: number, { head, finalized, confirmations }: Ends): boolean {
  return finalized === null ? head - block + 1 >= confirmations * FINALIZED_DEPTHS : block <= finalized;
}
