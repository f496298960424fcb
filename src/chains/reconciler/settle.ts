import type { ChargeDoc } from '../../store/collections.ts';
import { type Becoming, type ChargeNotice, changeAsSeen, notifyFromReconciler, waitingAgain } from '../charges.ts';
import { type ChainContext, later } from '../context.ts';
import { groupBy } from '../group-by.ts';
import type { ChargeFact } from '../port.ts';
import { type IncludedTransaction, moveTransactions } from './outcomes.ts';

/** A notice about one charge, and the change of its document after the payment has accepted the notice. */
export interface ChargeStep extends ChargeNotice {
  readonly set: Becoming;
}

export interface Settlement {
  readonly included: IncludedTransaction;
  readonly steps: readonly ChargeStep[];
  /** True: the outcome of one of its charges is not known yet, so the transaction is checked again. */
  readonly isOpen: boolean;
}

/** The chain shows the charge as made, in this transaction. */
export function chargedStep(
  { transaction, txHash, block }: IncludedTransaction,
  charge: ChargeDoc,
  facts: readonly ChargeFact[],
  state: 'mined' | 'final',
): ChargeStep {
  return { charge, facts, set: { state, transactionId: transaction._id, txHash, block, reason: null } };
}

/** The longest pause of a charge whose transactions revert although it is alone in them, in milliseconds. */
const ALONE_MAX_MS = 3_600_000;

/** The transaction moved nothing, and the charge waits to be sent again. */
export function releasedStep(ctx: ChainContext, charge: ChargeDoc): ChargeStep {
  const notBefore = later(ctx, ctx.timing.postponeMs);
  return { charge, facts: [{ kind: 'released' }], set: { ...waitingAgain(charge, ctx.clock()), notBefore } };
}

/**
 * As `releasedStep`, after a transaction of `size` charges reverted as a whole: one of them may be the cause. The next
 * transaction has half of them, until the cause is alone, which then waits longer after each try.
 */
export function revertedStep(ctx: ChainContext, charge: ChargeDoc, size: number): ChargeStep {
  const { set, ...step } = releasedStep(ctx, charge);
  const batchMax = Math.max(1, Math.floor(size / 2));
  const pauseMs = Math.min(ctx.timing.postponeMs * 2 ** Math.min(charge.releases ?? 0, 20), ALONE_MAX_MS);
  const notBefore = size === 1 ? { notBefore: later(ctx, pauseMs) } : {};
  return { ...step, set: { ...set, batchMax, ...notBefore } };
}

/**
 * Notifies the payments, and then moves charges and transactions on. A transaction moves on only after all of its
 * charges: after an interruption or a refusal the next check finds the transaction again, and notifies again.
 */
export async function settleAll(ctx: ChainContext, settlements: readonly Settlement[]): Promise<void> {
  const steps = settlements.flatMap((settlement) => settlement.steps);
  const accepted = new Set(await notifyFromReconciler(ctx, steps));
  const moved = await Promise.all(
    settlements.map(async (settlement) => {
      const ready = settlement.steps.filter((step) => accepted.has(step));
      const count = await moveCharges(ctx, ready);
      return !settlement.isOpen && count === settlement.steps.length ? [settlement.included] : [];
    }),
  );
  const included = moved.flat();
  for (const each of included) if (each.transaction.state === 'signed') ctx.reverts.saw(each);
  await moveTransactions(ctx, included);
}

/** Moves the charges of one transaction that have the same outcome together. Returns how many steps were made. */
async function moveCharges(ctx: ChainContext, steps: readonly ChargeStep[]): Promise<number> {
  const open = steps.filter((step) => !isThere(step));
  const moved = await Promise.all(
    [...groupBy(open, alikeOf).values()].map(async ([first, ...others]) => {
      const charges = [first, ...others].map(({ charge }) => charge);
      return (await changeAsSeen(ctx, charges, { ...first.set, updatedAt: ctx.clock() })).size;
    }),
  );
  return moved.reduce((sum, count) => sum + count, steps.length - open.length);
}

/** True if the document needs no change: the fact was reported before, or the document does not show it. */
function isThere({ charge, set }: ChargeStep): boolean {
  const { state, transactionId, txHash, block, reason } = charge;
  const isSame = state === set.state && transactionId === set.transactionId && txHash === set.txHash;
  return isSame && block?.hash === set.block?.hash && reason === set.reason;
}

/** Steps with the same name change their documents in the same way. */
function alikeOf({ set }: ChargeStep): string {
  const { state, transactionId, reason, refusal, note, releases, outOfUnits, batchMax } = set;
  return `${state}/${transactionId}/${reason}/${releases}/${outOfUnits}/${batchMax}/${note}/${refusal?.text}`;
}
