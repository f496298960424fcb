import type { ChargeDoc, TransactionDoc } from '../../../store/collections.ts';
import { endReorged, markExpired, releaseCharge } from '../../reconciler/outcomes.ts';
import { resultOf } from '../../rpc.ts';
import type { EvmContext } from '../context.ts';
import { decodeSeen } from '../contracts/router.ts';
import { reconcileElsewhere } from '../reconcile-existing.ts';
import { fenceCall } from '../router-charge.ts';
import { routerOf } from '../routers.ts';
import { reportFault } from '../sender/prepare.ts';
import { hexBytes } from '../wire.ts';

/**
 * Gives up a transaction that can never land, because another one has its nonce for good. Its charges wait again; a
 * charge that had been final was reorged out (docs/rules.md, "Payments": Final). If the router has seen a charge
 * nevertheless, another transaction made it, and the charge follows that transaction.
 *
 * @param isFinal the other transaction is in a block that never changes again; without that, no final charge is given
 * up
 */
export async function abandon(
  ctx: EvmContext,
  transaction: TransactionDoc,
  charges: readonly ChargeDoc[],
  isFinal: boolean,
): Promise<void> {
  const own = charges.filter(({ transactionId }) => transactionId === transaction._id);
  for (const charge of own) {
    // Its signing queue is between storing and sending, and will find the transaction itself.
    if (charge.state === 'started') return;
    if (charge.state === 'final' && !isFinal) return;
    if (!(await giveUp(ctx, charge))) return;
  }
  await markExpired(ctx, transaction, 'its nonce is used');
}

/** Takes a charge out of a transaction that cannot make it. False: that is not certain yet, and it is checked again. */
async function giveUp(ctx: EvmContext, charge: ChargeDoc): Promise<boolean> {
  if (charge.state === 'final') return reorg(ctx, charge);
  if (charge.state !== 'sent' && charge.state !== 'mined') return true;
  const seen = await isSeen(ctx, charge);
  if (seen === null) return false;
  if (seen) return reconcileElsewhere(ctx, charge);
  return releaseCharge(ctx, charge);
}

/**
 * Reports a final charge once as reorged out, because its transaction will never make it again; if another transaction
 * has made it, the charge follows that one. False: that is not certain yet, and it is checked again.
 */
export async function reorg(ctx: EvmContext, charge: ChargeDoc): Promise<boolean> {
  const seen = await isSeen(ctx, charge);
  if (seen === null) return false;
  if (seen) return reconcileElsewhere(ctx, charge);
  return endReorged(ctx, charge);
}

/**
 * True if the charge's router of any node has seen the charge. Null: an up-to-date node gave no answer, or the charge
 * does not agree with its mandate.
 */
async function isSeen(ctx: EvmContext, charge: ChargeDoc): Promise<boolean | null> {
  const mandates = await ctx.mandates.ofCharges([charge]);
  if (reportFault(ctx, charge, mandates)) return null;
  const nodes = await ctx.link.upToDate([fenceCall(routerOf(charge), charge, mandates)]);
  const found = nodes.map(({ answers: [answer] }) =>
    answer?.ok === true ? decodeSeen(hexBytes.parse(resultOf(answer))) : null,
  );
  if (found.includes(true)) return true;
  return found.includes(null) ? null : false;
}
