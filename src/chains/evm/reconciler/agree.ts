import type { BlockRef, TransactionDoc } from '../../../store/collections.ts';
import type { Stage } from '../../reconciler/outcomes.ts';
import type { WireReceipt } from '../wire.ts';

/** One node's knowledge of one transaction. */
interface View {
  readonly ends: Ends;
  /** The receipt of the version that is in a block. Null: no version is. Undefined: the node gave no answer. */
  readonly receipt: WireReceipt | null | undefined;
  /** The hash of the node's block at a height. Null: the node is not that high, gave no answer, or was not asked. */
  readonly hashAt: (height: number) => string | null;
  /** True if the transaction waits in the node's pool. */
  readonly isKnown: boolean;
  /** True if the nonce was used as of block `usedAt`. Null: the node gave no answer, or was not asked. */
  readonly isUsed: boolean | null;
}

interface AgreeOptions {
  /** A node is behind if its head is more than this number of blocks below the newest one. */
  readonly lag: number;
  /** The block for which the nodes were asked for nonces; null: they were not asked. */
  readonly usedAt: number | null;
}

const STAGES: readonly Stage[] = ['mined', 'final', 'finalized'];

/** The status of a transaction by the answers of nodes (docs/adr/nodes.md). With one node it is its answer. */
export function agree(transaction: TransactionDoc, views: readonly View[], options: AgreeOptions): TransactionStatus {
  const found = views.flatMap(({ receipt }) => receipt ?? []);
  return found.length === 0 ? absence(transaction, views, options) : inclusion(found, views, options);
}

/** The block that most nodes have. Of the up-to-date nodes that agree, the lowest stage counts. */
function inclusion(found: readonly WireReceipt[], views: readonly View[], { lag }: AgreeOptions): TransactionStatus {
  const supporters = (receipt: WireReceipt) =>
    views.filter(({ hashAt }) => hashAt(receipt.blockNumber) === receipt.blockHash);
  const holders = (receipt: WireReceipt) =>
    views.filter((view) => view.receipt?.blockHash === receipt.blockHash).length + supporters(receipt).length;
  const receipt = found.reduce((best, each) => (holders(each) > holders(best) ? each : best));
  const agreeing = supporters(receipt);
  if (agreeing.length === 0) {
    const isShallow = views.every(({ ends }) => !isDeepEnough(receipt.blockNumber, ends));
    return isShallow ? { kind: 'included', receipt, stage: 'mined' } : { kind: 'unsure' };
  }
  const isContradicted = views.some(({ hashAt }) => {
    const hash = hashAt(receipt.blockNumber);
    return hash !== null && hash !== receipt.blockHash;
  });
  if (isContradicted) return { kind: 'included', receipt, stage: 'mined' };
  const stages = upToDate(agreeing, views, lag).map(({ ends }) => stageOf(receipt, ends));
  const least = STAGES.find((stage) => stages.includes(stage)) ?? 'mined';
  return { kind: 'included', receipt, stage: least };
}

function stageOf(receipt: WireReceipt, ends: Ends): Stage {
  const status = judge(receipt, receipt.blockHash, ends);
  return status.kind === 'included' ? status.stage : 'mined';
}

/**
 * The transaction is in no block, if all nodes that have come this far say so. A signed one is dead when another
 * transaction has its nonce in a deep enough block; one that was final, only when that block never changes again.
 */
function absence(transaction: TransactionDoc, views: readonly View[], options: AgreeOptions): TransactionStatus {
  const { block, state } = transaction;
  const without = views.filter(({ receipt, ends }) => receipt === null && ends.head >= (block?.number ?? 0));
  if (without.length === 0) return { kind: 'unsure' };
  // It is harmless to send the same bytes again. To report that it was reorged out needs an answer from every node.
  const isSilent = views.some(({ receipt }) => receipt === undefined);
  if (isSilent && state !== 'signed') return { kind: 'unsure' };
  const displaced = isSilent ? null : displacement(transaction, views, options);
  const wasSeenBefore = displaced !== null && transaction.displaced?.hash === displaced.hash;
  if (wasSeenBefore) {
    const voters = upToDate(views, views, options.lag);
    const isFinal = voters.every(({ ends }) => isFinalized(displaced.number, ends));
    const isDeep = voters.every(({ ends }) => isDeepEnough(displaced.number, ends));
    if (isFinal || (isDeep && state === 'signed')) return { kind: 'expired', isFinal };
  }
  return { kind: 'absent', known: views.some(({ isKnown }) => isKnown), displaced };
}

/**
 * Finds a block in which another transaction already has the nonce. The remembered block stays the answer while the
 * chain has it. Null if an up-to-date node does not confirm that the nonce is used.
 */
function displacement(
  { displaced }: TransactionDoc,
  views: readonly View[],
  { lag, usedAt }: AgreeOptions,
): BlockRef | null {
  const voters = upToDate(views, views, lag);
  if (usedAt === null || !voters.every(({ isUsed }) => isUsed === true)) return null;
  if (displaced && isEverywhere(displaced, views)) return displaced;
  const hash = voters[0]?.hashAt(usedAt) ?? null;
  const found = hash === null ? null : { number: usedAt, hash };
  return found !== null && isEverywhere(found, views) ? found : null;
}

/** At least one node has the block, and no node has another one at its height. */
function isEverywhere({ number, hash }: BlockRef, views: readonly View[]): boolean {
  const hashes = views.flatMap(({ hashAt }) => hashAt(number) ?? []);
  return hashes.length > 0 && hashes.every((each) => each === hash);
}

type WithEnds = Pick<View, 'ends'>;

/** The members of `some` that are not behind `all`; if all members are behind, all of them. */
export function upToDate<V extends WithEnds>(some: readonly V[], all: readonly WithEnds[], lag: number): readonly V[] {
  const newest = Math.max(...all.map(({ ends }) => ends.head));
  const ahead = some.filter(({ ends }) => ends.head >= newest - lag);
  return ahead.length > 0 ? ahead : some;
}

/** The newest blocks of a chain. */
export interface Ends {
  readonly head: number;
  /** Null: the chain has no such tag. */
  readonly finalized: number | null;
  /** Blocks, its own included, that make a transaction final. */
  readonly confirmations: number;
}

export type TransactionStatus =
  | { readonly kind: 'included'; readonly receipt: WireReceipt; readonly stage: Stage }
  /** In no block. `known`: in a node's pool. `displaced`: another transaction has its nonce; null: it can land. */
  | { readonly kind: 'absent'; readonly known: boolean; readonly displaced: BlockRef | null }
  /** Another transaction has its nonce in a deep enough block; `isFinal`: in a block that never changes again. */
  | { readonly kind: 'expired'; readonly isFinal: boolean }
  /** No node gave an answer, or nodes contradict themselves or one another. They are asked again. */
  | { readonly kind: 'unsure' };

/** Without the tag a block is finalized at this many times the depth (docs/rules.md, "Payments": Final). */
export const FINALIZED_DEPTHS = 4;

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
function isFinalized(block: number, { head, finalized, confirmations }: Ends): boolean {
  return finalized === null ? head - block + 1 >= confirmations * FINALIZED_DEPTHS : block <= finalized;
}
