import { unknownCase } from '../../../../machines/unknown-case.ts';
import type { ChargeDoc } from '../../../store/collections.ts';
import type { RefusalFact } from '../../port.ts';
import type { IncludedTransaction } from '../../reconciler/outcomes.ts';
import type { Followed } from '../../reconciler/reconciler.ts';
import {
  type ChargeStep,
  chargedStep,
  releasedStep,
  revertedStep,
  type Settlement,
  settleAll,
} from '../../reconciler/settle.ts';
import type { EvmContext } from '../context.ts';
import { refusalOf } from '../contracts/reason-words.ts';
import type { Reason } from '../contracts/reasons.ts';
import { explain } from '../explain.ts';
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

/** Settles transactions in blocks (`settleAll`). */
export async function settle(ctx: EvmContext, landings: readonly Landing[]): Promise<void> {
  const settlements: Settlement[] = [];
  for (const landing of landings) settlements.push(await settlementOf(ctx, landing));
  await settleAll(ctx, settlements);
}

async function settlementOf(ctx: EvmContext, landing: Landing): Promise<Settlement> {
  const included = includedOf(landing);
  const plain = landing.updates.flatMap((update) => plainSteps(ctx, included, update));
  const refused = await refusedSteps(ctx, landing);
  let isOpen = refused.isWaiting || landing.updates.some(({ kind }) => kind === 'unnamed');
  for (const update of landing.updates) {
    if (update.kind === 'reorged' && !(await reorg(ctx, update.charge))) isOpen = true;
  }
  return { included, steps: [...plain, ...refused.steps], isOpen };
}

function plainSteps(ctx: EvmContext, included: IncludedTransaction, update: ChargeUpdate): ChargeStep[] {
  switch (update.kind) {
    case 'charged':
      return [chargedStep(included, update.charge, update.facts, update.state)];
    case 'reverted':
      reportReverted(ctx, included, update.charge);
      return [revertedStep(ctx, update.charge, included.transaction.chargeIds.length)];
    case 'unnamed':
      reportUnnamed(ctx, included, update.charge);
      return [];
    case 'refused':
    case 'reorged':
      return [];
    default:
      return unknownCase(update, 'update');
  }
}

/** Nothing happened on the chain. If the charge can no longer be made, the simulation says why. */
function reportReverted({ chainId, log }: EvmContext, { txHash }: IncludedTransaction, { _id }: ChargeDoc): void {
  const about = { chainId, chargeId: _id, txHash };
  log.warn(about, 'the whole transaction reverted; the charge waits to be sent again');
}

/**
 * The steps for charges that the router refused in a final block. A charge that was made before is reconciled with the
 * ledger. One whose token lets nobody transfer waits again. If the charge is in another open transaction, that one
 * decides, and this one is checked again afterwards.
 */
async function refusedSteps(
  ctx: EvmContext,
  landing: Landing,
): Promise<{ readonly steps: ChargeStep[]; readonly isWaiting: boolean }> {
  const refused = landing.updates.flatMap((update) => (update.kind === 'refused' ? [update] : []));
  if (refused.length === 0) return { steps: [], isWaiting: false };
  const block = toQuantity(landing.status.receipt.blockNumber);
  const failures = refused.map((update) => ({ ...update, taken: { allowance: 0n, balance: 0n } }));
  const explained = await explain(ctx, failures, { landed: true, block });
  const refusedCharges = refused.map(({ charge }) => charge);
  const elsewhere = await onTheirWayElsewhere(ctx, landing, refusedCharges);
  const steps: ChargeStep[] = [];
  for (const [index, { charge, reason }] of refused.entries()) {
    const why = explained[index];
    if (why === undefined || why.kind === 'seen') await reconcileExisting(ctx, charge);
    else if (elsewhere.has(charge._id)) continue;
    else if (why.kind === 'paused') steps.push(releasedStep(ctx, charge));
    else steps.push(refusedStep(ctx, landing, charge, why, reason));
  }
  return { steps, isWaiting: refused.some(({ charge }) => elsewhere.has(charge._id)) };
}

function refusedStep(
  ctx: EvmContext,
  landing: Landing,
  charge: ChargeDoc,
  why: RefusalFact,
  reason: Reason,
): ChargeStep {
  const { txHash, block } = includedOf(landing);
  const { transactionId } = charge;
  const refusal = refusalOf(reason);
  ctx.log.info({ chainId: ctx.chainId, chargeId: charge._id, txHash, refusal }, 'the router refused the charge');
  const set = { state: 'refused', reason: why.reason, refusal, transactionId, txHash, block } as const;
  return { charge, facts: [why], set };
}

/** A charge is in a second transaction only if two processes held its signing queue; then that one decides. */
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

function reportUnnamed(ctx: EvmContext, { transaction, txHash }: IncludedTransaction, charge: ChargeDoc): void {
  const about = { chainId: ctx.chainId, chargeId: charge._id, transactionId: transaction._id };
  const sentence = `transaction ${txHash} has no event for charge ${charge._id}; it is checked again`;
  if (ctx.troubles.set(`unnamed:${charge._id}`, sentence)) ctx.log.error(about, sentence);
}

function includedOf({ transaction, status: { receipt, stage } }: Landing): IncludedTransaction {
  const block = { number: receipt.blockNumber, hash: receipt.blockHash };
  return { transaction, stage, block, txHash: receipt.transactionHash, reverted: receipt.status === 0 };
}
