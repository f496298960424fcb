import type { ChargeDoc } from '../../../store/collections.ts';
import { endReorged, giveUpTransaction, releaseCharge } from '../../reconciler/outcomes.ts';
import type { Followed } from '../../reconciler/reconciler.ts';
import { resultOf } from '../../rpc.ts';
import type { EvmContext } from '../context.ts';
import { decodeSeen } from '../contracts/router.ts';
import { reconcileElsewhere } from '../reconcile-existing.ts';
import { fenceCall } from '../router-charge.ts';
import { routerOf } from '../routers.ts';
import { reportFault } from '../sender/prepare.ts';
import { hexBytes } from '../wire.ts';
import type { TransactionStatus } from './agree.ts';

type Expired = Followed<Extract<TransactionStatus, { kind: 'expired' }>>;

/**
 * Gives up a transaction that can never land, because another one has its nonce for good. Its charges wait again; a
 * charge that had been final was reorged out (docs/rules.md, "Payments": Final). If the router has seen a charge
 * nevertheless, another transaction made it, and the charge follows that transaction.
 */
export async function abandon(ctx: EvmContext, expired: Expired): Promise<void> {
  await giveUpTransaction(ctx, expired, {
    release: (charge) => giveUp(ctx, charge, releaseCharge),
    // Only a block that never changes again is proof enough for a final charge.
    reorg: async (charge) => expired.status.isFinal && reorg(ctx, charge),
    why: 'its nonce is used',
  });
}

/**
 * Reports a final charge once as reorged out, because its transaction will never make it again; if another transaction
 * has made it, the charge follows that one. False: that is not certain yet, and it is checked again.
 */
export function reorg(ctx: EvmContext, charge: ChargeDoc): Promise<boolean> {
  return giveUp(ctx, charge, endReorged);
}

async function giveUp(ctx: EvmContext, charge: ChargeDoc, end: typeof endReorged): Promise<boolean> {
  const seen = await isSeen(ctx, charge);
  if (seen === null) return false;
  return seen ? reconcileElsewhere(ctx, charge) : end(ctx, charge);
}

/** True if the router of any node has seen it. Null: an up-to-date node gave no answer, or its mandate differs. */
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
