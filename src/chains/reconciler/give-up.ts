import type { ChargeDoc, TransactionDoc } from '../../store/collections.ts';
import { asSeen, waitingAgain } from '../charges.ts';
import type { ChainContext } from '../context.ts';
import { notifyOne } from '../notify.ts';

/**
 * Lets a charge wait again because its transaction can never land. False: its payment did not take this, so it is
 * checked again.
 */
export async function releaseCharge(ctx: ChainContext, charge: ChargeDoc): Promise<boolean> {
  if (!(await notifyOne(ctx, charge, 'released'))) return false;
  await ctx.records.change('charges', charge._id, asSeen(charge), { set: waitingAgain(charge, ctx.clock()) });
  ctx.wakeQueues();
  return true;
}

/** Ends a final charge that was reorged out for good. False: its payment did not take this, so it is checked again. */
export async function endReorged(ctx: ChainContext, charge: ChargeDoc): Promise<boolean> {
  const { _id: chargeId, txHash, block } = charge;
  ctx.log.error(
    { chainId: ctx.chainId, chargeId, txHash, block },
    'a final charge was reorged out for good; its payment is notified',
  );
  if (!(await notifyOne(ctx, charge, 'reorged'))) return false;
  const set = { state: 'refused', reason: 'reorged', updatedAt: ctx.clock() };
  await ctx.records.change('charges', chargeId, asSeen(charge), { set });
  return true;
}

/** Marks a transaction that can never land, and logs why. */
export async function markExpired(ctx: ChainContext, transaction: TransactionDoc, why: string): Promise<void> {
  const { _id, state, asked } = transaction;
  const set = { state: 'expired', updatedAt: ctx.clock() };
  await ctx.records.change('transactions', _id, { state, asked }, { set });
  ctx.log.warn({ chainId: ctx.chainId, transactionId: _id, was: state }, `transaction can never land: ${why}`);
}
