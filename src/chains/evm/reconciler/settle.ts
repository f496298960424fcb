import { unknownCase } from '../../../../machines/unknown-case.ts';
import type { ChargeDoc } from '../../../store/collections.ts';
import { type Becoming, changeAsSeen, oneReleaseMore } from '../../charges.ts';
import { later } from '../../context.ts';
import { type ChargeNotice, notifyFromReconciler } from '../../notify.ts';
import { type IncludedTransaction, moveTransactions } from '../../reconciler/outcomes.ts';
import type { Followed } from '../../reconciler/reconciler.ts';
import type { EvmContext } from '../context.ts';
import { refusalOf } from '../contracts/reason-words.ts';
import type { Reason } from '../contracts/reasons.ts';
import { type Explained, explain } from '../explain.ts';
import { reconcileExisting } from '../reconcile-existing.ts';
import { toQuantity } from '../wire.ts';
import { reorg } from './abandon.ts';
import type { TransactionStatus } from './agree.ts';
import type { ChargeUpdate } from './charge-updates.ts';

type Included = Extract<TransactionStatus, { kind: 'included' }>;

/** One transaction in a block, and the updates for its charges. */
export interface Landing extends Followed<Included> {
  readonly updates: readonly ChargeUpdate[];
}

/** A notice about one charge, and the change of its document after the payment has accepted the notice. */
interface Step extends ChargeNotice {
  readonly landing: Landing;
  readonly set: Becoming;
}

/**
 * Notifies the payments, and then moves charges and transactions on. A transaction moves on only after all of its
 * charges. After an interruption or a refusal the next check finds the transaction again, and notifies again.
 */
export async function settle(ctx: EvmContext, landings: readonly Landing[]): Promise<void> {
  const open = new Set<Landing>();
  const steps: Step[] = [];
  for (const landing of landings) {
    steps.push(...landing.updates.flatMap((update) => plainSteps(ctx, landing, update)));
    const refused = await refusedSteps(ctx, landing);
    steps.push(...refused.steps);
    if (refused.isWaiting || landing.updates.some(({ kind }) => kind === 'unnamed')) open.add(landing);
    for (const update of landing.updates) {
      if (update.kind === 'reorged' && !(await reorg(ctx, update.charge))) open.add(landing);
    }
  }
  const moved = await moveCharges(ctx, await notifyFromReconciler(ctx, steps));
  for (const step of steps) if (!moved.has(step)) open.add(step.landing);
  await moveTransactions(ctx, landings.filter((landing) => !open.has(landing)).map(includedOf));
}

function plainSteps(ctx: EvmContext, landing: Landing, update: ChargeUpdate): Step[] {
  switch (update.kind) {
    case 'charged':
      return [chargedStep(landing, update)];
    case 'reverted':
      return [revertedStep(ctx, landing, update.charge)];
    case 'unnamed':
      reportUnnamed(ctx, landing, update.charge);
      return [];
    case 'refused':
    case 'reorged':
      return [];
    default:
      return unknownCase(update, 'update');
  }
}

function chargedStep(landing: Landing, update: Extract<ChargeUpdate, { kind: 'charged' }>): Step {
  const { receipt } = landing.status;
  return {
    landing,
    charge: update.charge,
    facts: update.facts,
    set: {
      state: update.state,
      transactionId: landing.transaction._id,
      txHash: receipt.transactionHash,
      block: { number: receipt.blockNumber, hash: receipt.blockHash },
      reason: null,
    },
  };
}

/** Nothing happened on the chain: the charge waits again. If it can no longer be made, the simulation says why. */
function revertedStep(ctx: EvmContext, landing: Landing, charge: ChargeDoc): Step {
  const { transactionHash } = landing.status.receipt;
  ctx.log.warn(
    { chainId: ctx.chainId, chargeId: charge._id, txHash: transactionHash },
    'the whole transaction reverted; the charge waits to be sent again',
  );
  return {
    landing,
    charge,
    facts: [{ kind: 'released' }],
    set: {
      state: 'waiting',
      lane: null,
      transactionId: null,
      txHash: null,
      block: null,
      ...oneReleaseMore(charge),
      notBefore: later(ctx, ctx.timing.postponeMs),
    },
  };
}

/**
 * The steps for charges that the router refused in a final block. A charge that was made before is reconciled with the
 * ledger. If the charge is in another open transaction, that one decides, and this one is checked again afterwards.
 */
async function refusedSteps(
  ctx: EvmContext,
  landing: Landing,
): Promise<{ readonly steps: Step[]; readonly isWaiting: boolean }> {
  const refused = landing.updates.flatMap((update) => (update.kind === 'refused' ? [update] : []));
  if (refused.length === 0) return { steps: [], isWaiting: false };
  const block = toQuantity(landing.status.receipt.blockNumber);
  const failures = refused.map((update) => ({ ...update, taken: { allowance: 0n, balance: 0n } }));
  const explained = await explain(ctx, failures, { landed: true, block });
  const elsewhere = await onTheirWayElsewhere(
    ctx,
    landing,
    refused.map(({ charge }) => charge),
  );
  const steps: Step[] = [];
  for (const [index, { charge, reason }] of refused.entries()) {
    const why = explained[index];
    if (why === undefined || why.kind === 'seen') await reconcileExisting(ctx, charge);
    else if (!elsewhere.has(charge._id)) steps.push(refusedStep(ctx, landing, charge, why, reason));
  }
  return { steps, isWaiting: refused.some(({ charge }) => elsewhere.has(charge._id)) };
}

function refusedStep(
  ctx: EvmContext,
  landing: Landing,
  charge: ChargeDoc,
  why: Exclude<Explained, { kind: 'seen' }>,
  reason: Reason,
): Step {
  const { transactionHash: txHash, blockNumber, blockHash } = landing.status.receipt;
  const block = { number: blockNumber, hash: blockHash };
  const { transactionId } = charge;
  const refusal = refusalOf(reason);
  ctx.log.info({ chainId: ctx.chainId, chargeId: charge._id, txHash, refusal }, 'the router refused the charge');
  const set = { state: 'refused', reason: why.reason, refusal, transactionId, txHash, block } as const;
  return { landing, charge, facts: [why], set };
}

/**
 * A charge can be in a second transaction only if two processes have held its signing queue; then the other transaction
 * decides.
 */
async function onTheirWayElsewhere(
  ctx: EvmContext,
  { transaction }: Landing,
  charges: readonly ChargeDoc[],
): Promise<Set<string>> {
  const open = await ctx.records.find('transactions', {
    where: { chargeIds: { in: charges.map(({ _id }) => _id) }, state: { in: ['signed', 'mined'] } },
    limit: charges.length * 4,
  });
  return new Set(open.filter(({ _id }) => _id !== transaction._id).flatMap(({ chargeIds }) => chargeIds));
}

function reportUnnamed(ctx: EvmContext, { transaction, status }: Landing, charge: ChargeDoc): void {
  const about = { chainId: ctx.chainId, chargeId: charge._id, transactionId: transaction._id };
  const sentence = `transaction ${status.receipt.transactionHash} has no event for charge ${charge._id}; it is checked again`;
  if (ctx.troubles.set(`unnamed:${charge._id}`, sentence)) ctx.log.error(about, sentence);
}

/** Moves the charges of one transaction that have the same outcome together. Returns the steps that were made. */
async function moveCharges(ctx: EvmContext, steps: readonly Step[]): Promise<Set<Step>> {
  const moved = new Set(steps.filter(isThere));
  const groups = groupedAlike(steps.filter((step) => !moved.has(step)));
  await Promise.all(
    groups.map(async (group) => {
      const [first] = group;
      if (first === undefined) return;
      const charges = group.map(({ charge }) => charge);
      const ids = await changeAsSeen(ctx, charges, { ...first.set, updatedAt: ctx.clock() });
      for (const step of group) if (ids.has(step.charge._id)) moved.add(step);
    }),
  );
  return moved;
}

/** True if the document needs no change: the fact was reported before, or the document does not show it. */
function isThere({ charge, set }: Step): boolean {
  const { state, transactionId, txHash, block, reason } = charge;
  const isSame = state === set.state && transactionId === set.transactionId && txHash === set.txHash;
  return isSame && block?.hash === set.block?.hash && reason === set.reason;
}

function groupedAlike(steps: readonly Step[]): Step[][] {
  const groups = new Map<string, Step[]>();
  for (const step of steps) {
    const { state, transactionId, reason, refusal, releases } = step.set;
    const alike = `${step.landing.transaction._id}/${state}/${transactionId}/${reason}/${releases}/${refusal?.text}`;
    const group = groups.get(alike);
    if (group) group.push(step);
    else groups.set(alike, [step]);
  }
  return [...groups.values()];
}

function includedOf({ transaction, status: { receipt, stage } }: Landing): IncludedTransaction {
  const block = { number: receipt.blockNumber, hash: receipt.blockHash };
  return { transaction, stage, block, txHash: receipt.transactionHash, reverted: receipt.status === 0 };
}
