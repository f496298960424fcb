import type { ChargeDoc, TransactionDoc } from '../../../store/collections.ts';
import { endReorged, markExpired, releaseCharge } from '../../reconciler/give-up.ts';
import { resultOf } from '../../rpc.ts';
import type { EvmContext } from '../context.ts';
import { decodeSeen, encodeSeen } from '../contracts/router.ts';
import { reconcileElsewhere } from '../reconcile-existing.ts';
import { hexBytes } from '../wire.ts';

/**
 * Gives up a transaction that can never land, because another one has its nonce for good. Its charges wait again; a charge
 * that had been final was reorged out (docs/rules.md, "Payments": Final). If the router has seen a charge all the same, another
 * transaction made it, and the charge follows that transaction.
 *
 * @param isFinal the other one is in a block that never changes again: without that no final charge is given up
 */
export async function abandon(
  ctx: EvmContext,
  router: string,
  transaction: TransactionDoc,
  isFinal: boolean,
): Promise<void> {
  const charges = await ctx.records.get('charges', transaction.chargeIds);
  const own = charges.filter(({ transactionId }) => transactionId === transaction._id);
  for (const charge of own) {
    // Its signing queue is between storing and sending, and will find the transaction itself.
    if (charge.state === 'started') return;
    if (charge.state === 'final' && !isFinal) return;
    if (!(await giveUp(ctx, router, charge))) return;
  }
  await markExpired(ctx, transaction, 'its nonce is used');
}

/** True: the charge is no longer in a transaction that cannot make it. False: that is not certain, and it is asked again. */
async function giveUp(ctx: EvmContext, router: string, charge: ChargeDoc): Promise<boolean> {
  if (charge.state === 'final') return reorg(ctx, router, charge);
  if (charge.state !== 'sent' && charge.state !== 'mined') return true;
  const seen = await isSeen(ctx, router, charge.key);
  if (seen === null) return false;
  if (seen) return reconcileElsewhere(ctx, router, charge);
  return releaseCharge(ctx, charge);
}

/**
 * A final charge whose transaction will never make it again: reported once as reorged out, unless another transaction has made
 * it. False: that is not certain, and it is asked again.
 */
export async function reorg(ctx: EvmContext, router: string, charge: ChargeDoc): Promise<boolean> {
  const seen = await isSeen(ctx, router, charge.key);
  if (seen === null) return false;
  if (seen) return reconcileElsewhere(ctx, router, charge);
  return endReorged(ctx, charge);
}

/** Whether the router of any node has seen the key; null: a node that is not behind did not say. */
async function isSeen(ctx: EvmContext, router: string, key: string): Promise<boolean | null> {
  const call = { method: 'eth_call', params: [{ to: router, data: encodeSeen(key) }, 'latest'] };
  const said = await ctx.link.upToDate([call]);
  const found = said.map(({ answers: [answer] }) =>
    answer?.ok === true ? decodeSeen(hexBytes.parse(resultOf(answer))) : null,
  );
  if (found.includes(true)) return true;
  return found.includes(null) ? null : false;
}
