import { BLOCK_GAS_LIMIT, type BlockNow, type SimLog } from './execute.ts';
import type { Inclusion, SimTransaction } from './transaction.ts';

/** A transaction with its result. */
export interface Done extends Pick<Inclusion, 'gasPrice'> {
  readonly transaction: SimTransaction;
  readonly nonce: number;
  readonly ok: boolean;
  readonly gasUsed: number;
  readonly logs: readonly SimLog[];
}

/** A transaction in a block. */
export interface Landed extends Done, Inclusion {
  /** Gas that the block has used up to the end of this transaction. */
  readonly gasBefore: number;
  readonly logs: readonly LandedLog[];
}

export interface LandedLog extends SimLog {
  readonly logIndex: number;
}

export interface SimBlock extends BlockNow {
  readonly hash: string;
  readonly parentHash: string;
  readonly gasUsed: number;
  readonly landed: readonly Landed[];
}

/**
 * What becomes of transactions whose blocks are reorged out. `again`: the new blocks contain the same ones.
 * `reordered`: the first new block contains as many as fit, with the senders in another order. `later`: they wait for
 * the next block after the reorganisation. `never`: they disappear, except the wallets' own (`act`), which wait.
 */
export type ReorgHow = 'again' | 'reordered' | 'later' | 'never';

/** EIP-1559: the fee changes by at most an eighth, towards half-full blocks. */
export function baseFeeAfter({ baseFee, gasUsed }: Pick<SimBlock, 'baseFee' | 'gasUsed'>): bigint {
  const target = BigInt(BLOCK_GAS_LIMIT / 2);
  const used = BigInt(gasUsed);
  if (used === target) return baseFee;
  if (used < target) return baseFee - (baseFee * (target - used)) / target / 8n;
  const more = (baseFee * (used - target)) / target / 8n;
  return baseFee + (more > 0n ? more : 1n);
}
