import type { BlockRef, TransactionDoc } from '../../../store/collections.ts';
import type { Stage } from '../../reconciler/move-transactions.ts';
import type { WireReceipt } from '../wire.ts';
import { type Ends, isDeepEnough, isFinalized, judge, type Standing } from './judge.ts';

/** What one node knows of one transaction. */
export interface View {
  readonly ends: Ends;
  /** Of whichever version is in a block; null: of none; undefined: it did not say. */
  readonly receipt: WireReceipt | null | undefined;
  /** The hash of its block at a height; null: it is not that high, did not say, or was not asked. */
  readonly hashAt: (height: number) => string | null;
  /** It has the transaction among those that wait. */
  readonly isKnown: boolean;
  /** Whether the nonce was used in the block at `usedAt`; null: it did not say, or was not asked. */
  readonly isUsed: boolean | null;
}

export interface AgreeOptions {
  /** How many blocks behind the newest head a node counts as behind. */
  readonly lag: number;
  /** The block as of which the nodes were asked for nonces; null: they were not. */
  readonly usedAt: number | null;
}

const STAGES: readonly Stage[] = ['mined', 'final', 'finalized'];

/**
 * What several nodes together say about a transaction (docs/adr/0019-several-nodes.md). With one node it is what
 * that one says.
 */
export function agree(transaction: TransactionDoc, views: readonly View[], options: AgreeOptions): Standing {
  const found = views.flatMap(({ receipt }) => receipt ?? []);
  return found.length === 0 ? absence(transaction, views, options) : inclusion(found, views, options);
}

/** In a block, as the most nodes have it, and as deep as the one that knows least of those that are not behind. */
function inclusion(found: readonly WireReceipt[], views: readonly View[], { lag }: AgreeOptions): Standing {
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
  const standing = judge(receipt, receipt.blockHash, ends);
  return standing.kind === 'included' ? standing.stage : 'mined';
}

/**
 * In no block, if all that have come so far say so. Dead before it was ever final: when another has its nonce in a block that
 * is deep enough; after that: in one that never changes again.
 */
function absence(transaction: TransactionDoc, views: readonly View[], options: AgreeOptions): Standing {
  const { block, state } = transaction;
  const said = views.filter(({ receipt, ends }) => receipt === null && ends.head >= (block?.number ?? 0));
  if (said.length === 0) return { kind: 'unsure' };
  // To send the same bytes again is harmless; to say that it was reorged out takes every node.
  const isSilent = views.some(({ receipt }) => receipt === undefined);
  if (isSilent && state !== 'signed') return { kind: 'unsure' };
  const displaced = isSilent ? null : displacement(transaction, views, options);
  const wasSeenBefore = displaced !== null && transaction.displaced?.hash === displaced.hash;
  if (wasSeenBefore) {
    const voters = upToDate(views, views, options.lag);
    const isFinal = voters.every(({ ends }) => isFinalized(displaced.number, ends));
    const isDeep = voters.every(({ ends }) => isDeepEnough(displaced.number, ends));
    if (isFinal || (isDeep && state === 'signed')) return { kind: 'dead', isFinal };
  }
  return { kind: 'absent', known: views.some(({ isKnown }) => isKnown), displaced };
}

/**
 * The block as of which the nonce is another's: the one that is remembered, while it is in the chain. Null where a node that
 * is not behind does not say so.
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

/** At least one node has the block, and none has another at its height. */
function isEverywhere({ number, hash }: BlockRef, views: readonly View[]): boolean {
  const hashes = views.flatMap(({ hashAt }) => hashAt(number) ?? []);
  return hashes.length > 0 && hashes.every((each) => each === hash);
}

type WithEnds = Pick<View, 'ends'>;

/** Of `some` those that are not behind `all`; if all of them are, they are the best that there is. */
export function upToDate<V extends WithEnds>(some: readonly V[], all: readonly WithEnds[], lag: number): readonly V[] {
  const newest = Math.max(...all.map(({ ends }) => ends.head));
  const ahead = some.filter(({ ends }) => ends.head >= newest - lag);
  return ahead.length > 0 ? ahead : some;
}
