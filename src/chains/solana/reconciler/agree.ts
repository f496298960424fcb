import { isDeepStrictEqual } from 'node:util';
import type { BlockRef, TransactionDoc } from '../../../store/collections.ts';
import type { Stage } from '../../reconciler/outcomes.ts';
import { BLOCKHASH_BLOCKS, type WireError, type WireStatus } from '../wire.ts';

/** The state of one transaction on the chain. */
export type TransactionStatus =
  | { readonly kind: 'included'; readonly stage: Stage; readonly block: BlockRef; readonly err: WireError | null }
  /** It is in no block, and can still get into one. */
  | { readonly kind: 'absent' }
  /** It is in no block up to the last one that could hold it, and all of these are finalized. */
  | { readonly kind: 'expired'; readonly asOf: number }
  /** The nodes did not answer, do not know enough, or contradict one another: asked again. */
  | { readonly kind: 'unsure' };

/** The ends of the chain, as one node knows them. */
export interface Ends {
  readonly finalizedSlot: number;
  readonly finalizedHeight: number;
  /** The oldest slot that the node still knows. */
  readonly firstSlot: number;
}

/** One node's knowledge of one transaction. */
export interface View {
  readonly ends: Ends;
  /** The slot for which the node answered. Null: it did not answer. */
  readonly asOf: number | null;
  readonly status: WireStatus | null;
  /** The hash of the node's block at a slot. Null: it shows none. */
  readonly hashAt: (slot: number) => string | null;
}

export interface AgreeOptions {
  /** A node counts as behind if it is more slots than this behind the newest finalized one. */
  readonly lag: number;
  /** Confirmations that make it final. Null: commitment `confirmed` makes it final. */
  readonly wanted: number | null;
}

const STAGES: readonly Stage[] = ['mined', 'final', 'finalized'];

/** The common answer of several nodes about a transaction (docs/adr/nodes.md); with one node, its answer. */
export function agree(transaction: TransactionDoc, views: readonly View[], options: AgreeOptions): TransactionStatus {
  const found = views.flatMap((view) => (isIn(view.status) ? [{ view, status: view.status }] : []));
  const [first] = found;
  if (first === undefined) return absence(transaction, views, options.lag);
  const { slot, err } = first.status;
  const hashes = new Set(views.flatMap(({ hashAt }) => hashAt(slot) ?? []));
  const [hash] = hashes;
  const isOne = found.every(({ status }) => status.slot === slot && isDeepStrictEqual(status.err, err));
  if (hash === undefined || hashes.size > 1 || !isOne) return { kind: 'unsure' };
  if (views.some((view) => isWithout(view, slot))) return { kind: 'unsure' };
  const voters = upToDate(
    found.map(({ view }) => view),
    views,
    options.lag,
  );
  const stages = found.filter(({ view }) => voters.includes(view)).map(({ status }) => stageOf(status, options.wanted));
  const stage = STAGES.find((each) => stages.includes(each)) ?? 'mined';
  return { kind: 'included', stage, block: { number: slot, hash }, err };
}

/** A block that is only processed may still be replaced: it does not count yet. */
export function isIn(status: WireStatus | null): status is WireStatus {
  return status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized';
}

/** True if the node has that slot finalized, and remembers it, without the transaction. */
function isWithout({ ends, asOf, status }: View, slot: number): boolean {
  return status === null && asOf !== null && ends.finalizedSlot >= slot && ends.firstSlot <= slot;
}

function stageOf({ confirmationStatus, confirmations }: WireStatus, wanted: number | null): Stage {
  if (confirmationStatus === 'finalized') return 'finalized';
  return wanted === null || (confirmations ?? 0) >= wanted ? 'final' : 'mined';
}

/** Expired, if every node that is not behind proves it. */
function absence(transaction: TransactionDoc, views: readonly View[], lag: number): TransactionStatus {
  const voters = upToDate(views, views, lag);
  const verdicts = voters.map((view) => absenceBy(transaction, view));
  if (verdicts.some(({ kind }) => kind === 'absent')) return { kind: 'absent' };
  if (verdicts.some(({ kind }) => kind !== 'expired')) return { kind: 'unsure' };
  return { kind: 'expired', asOf: Math.min(...voters.map(({ ends }) => ends.finalizedSlot)) };
}

/** Proof needs a node that has finalized the last block that could hold it, and still knows the first one. */
function absenceBy({ expiry }: TransactionDoc, { asOf, status, ends }: View): TransactionStatus {
  if (!expiry || asOf === null || status !== null) return { kind: 'unsure' };
  // Whatever height a node named when it was signed: a blockhash lives for so many blocks, and no slot has two.
  const isAlive = ends.finalizedSlot < expiry.fromSlot + BLOCKHASH_BLOCKS;
  if (isAlive || ends.finalizedHeight <= expiry.lastValidBlockHeight) return { kind: 'absent' };
  const isPast = asOf >= ends.finalizedSlot;
  const isRemembered = ends.firstSlot <= expiry.fromSlot;
  return isPast && isRemembered ? { kind: 'expired', asOf: ends.finalizedSlot } : { kind: 'unsure' };
}

/** Those of `some` that are not behind `all`. If all of them are behind, all of `some`. */
function upToDate(some: readonly View[], all: readonly View[], lag: number): readonly View[] {
  const newest = Math.max(...all.map(({ ends }) => ends.finalizedSlot));
  const ahead = some.filter(({ ends }) => ends.finalizedSlot >= newest - lag);
  return ahead.length > 0 ? ahead : some;
}
