import { isDeepStrictEqual } from 'node:util';
import type { BlockRef, TransactionDoc } from '../../../store/collections.ts';
import type { Stage } from '../../reconciler/move-transactions.ts';
import type { WireError, WireStatus } from '../wire.ts';

/** What the chain says about one transaction. */
export type Standing =
  | { readonly kind: 'included'; readonly stage: Stage; readonly block: BlockRef; readonly err: WireError | null }
  /** In no block, and it can still get into one. */
  | { readonly kind: 'absent' }
  /** In no block up to the last one that could hold it, all of which are finalized. */
  | { readonly kind: 'expired'; readonly asOf: number }
  /** The nodes did not say, do not know enough to say, or contradict one another: asked again. */
  | { readonly kind: 'unsure' };

/** Where the chain stands, as one node has it. */
export interface Ends {
  readonly finalizedSlot: number;
  readonly finalizedHeight: number;
  /** The oldest slot that the node still knows. */
  readonly firstSlot: number;
}

/** What one node knows of one transaction. */
export interface View {
  readonly ends: Ends;
  /** The slot as of which the node answered; null: it did not. */
  readonly asOf: number | null;
  readonly status: WireStatus | null;
  /** The hash of its block at a slot; null: it does not show one. */
  readonly hashAt: (slot: number) => string | null;
}

export interface AgreeOptions {
  /** How many slots behind the newest finalized one a node counts as behind. */
  readonly lag: number;
  /** Confirmations that make it final; null: that it is confirmed. */
  readonly wanted: number | null;
}

const STAGES: readonly Stage[] = ['mined', 'final', 'finalized'];

/**
 * What several nodes together say about a transaction (docs/adr/0019-several-nodes.md). With one node it is what
 * that one says.
 */
export function agree(transaction: TransactionDoc, views: readonly View[], options: AgreeOptions): Standing {
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

/** A block that is only processed may be another's tomorrow: it counts for nothing yet. */
export function isIn(status: WireStatus | null): status is WireStatus {
  return status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized';
}

/** The node has that slot finalized, and remembers it, without the transaction. */
function isWithout({ ends, asOf, status }: View, slot: number): boolean {
  return status === null && asOf !== null && ends.finalizedSlot >= slot && ends.firstSlot <= slot;
}

function stageOf({ confirmationStatus, confirmations }: WireStatus, wanted: number | null): Stage {
  if (confirmationStatus === 'finalized') return 'finalized';
  return wanted === null || (confirmations ?? 0) >= wanted ? 'final' : 'mined';
}

/** Expired, if every node that is not behind proves it. */
function absence(transaction: TransactionDoc, views: readonly View[], lag: number): Standing {
  const voters = upToDate(views, views, lag);
  const said = voters.map((view) => absenceBy(transaction, view));
  if (said.some(({ kind }) => kind === 'absent')) return { kind: 'absent' };
  if (said.some(({ kind }) => kind !== 'expired')) return { kind: 'unsure' };
  return { kind: 'expired', asOf: Math.min(...voters.map(({ ends }) => ends.finalizedSlot)) };
}

/**
 * That a node knows nothing of a transaction proves something only if it has come past the last block that could hold it,
 * has that finalized, and still knows the first one that could.
 */
function absenceBy({ expiry }: TransactionDoc, { asOf, status, ends }: View): Standing {
  if (!expiry || asOf === null || status !== null) return { kind: 'unsure' };
  if (ends.finalizedHeight <= expiry.lastValidBlockHeight) return { kind: 'absent' };
  const isPast = asOf >= ends.finalizedSlot;
  const isRemembered = ends.firstSlot <= expiry.fromSlot;
  return isPast && isRemembered ? { kind: 'expired', asOf: ends.finalizedSlot } : { kind: 'unsure' };
}

/** Of `some` those that are not behind `all`; if all of them are, they are the best that there is. */
function upToDate(some: readonly View[], all: readonly View[], lag: number): readonly View[] {
  const newest = Math.max(...all.map(({ ends }) => ends.finalizedSlot));
  const ahead = some.filter(({ ends }) => ends.finalizedSlot >= newest - lag);
  return ahead.length > 0 ? ahead : some;
}
