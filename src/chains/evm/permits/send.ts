import type { PermitDoc } from '../../../store/collections.ts';
import { later } from '../../context.ts';
import type { EvmContext } from '../context.ts';
import { feesOf } from '../fees.ts';
import { broadcast } from '../sender/broadcast.ts';
import { nextNonce } from '../sender/ledger.ts';
import { mustAfford } from '../sender/market.ts';
import { hasRoom } from '../sender/room.ts';
import { storeSigned } from '../sender/send.ts';
import type { Signer } from '../signer.ts';
import { asSeen } from './document.ts';
import type { PermitReading } from './judge.ts';

/**
 * Submits a permit in its own transaction: take, sign, store, broadcast, in this order and with the sender's next nonce, as for
 * a batch of charges. If the sender has too much in flight, the permit waits.
 * @throws OutOfGas when the sender cannot pay for it
 */
export async function sendPermit(
  ctx: EvmContext,
  signer: Signer,
  router: string,
  permit: PermitDoc,
  reading: PermitReading,
): Promise<void> {
  const { minedCount } = reading;
  const nonce = await nextNonce(ctx, signer.address, minedCount);
  const fees = feesOf(reading.block, reading.tip, ctx.link.tipMax);
  // A third more than the node's estimate, as for charges: the call may need more gas by the time of its block.
  const gasLimit = reading.estimate + reading.estimate / 3n;
  mustAfford(signer.address, reading.balance, gasLimit * fees.maxFeePerGas);
  if (!hasRoom(ctx, nonce - minedCount, { gasLimit, fees }, reading.balance)) return;
  const id = ctx.newId();
  const taken = await take(ctx, signer.address, permit, id);
  if (!taken) return;
  await ctx.fault('sender.started.after');
  const unsigned = { id, to: router, data: reading.data, gasLimit, fees, chargeIds: [], permitId: permit._id };
  const transaction = await storeSigned(ctx, signer, unsigned, { nonce, minedCount });
  await ctx.fault('sender.stored.after');
  const sent = { set: { state: 'sent', notBefore: later(ctx, ctx.timing.orphanMs), updatedAt: ctx.clock() } };
  await ctx.records.change('permits', permit._id, { state: 'started', transactionId: id }, sent);
  await broadcast(ctx, [transaction]);
  await ctx.fault('sender.broadcast.after');
  ctx.wakeReconciler(ctx.timing.askFirstMs);
}

/**
 * Marks the permit as started. After an interruption a signing queue checks it again, after a pause, and finds the transaction
 * if it was stored.
 */
async function take(ctx: EvmContext, sender: string, permit: PermitDoc, transactionId: string): Promise<boolean> {
  const notBefore = later(ctx, ctx.timing.postponeMs);
  const set = { state: 'started', lane: sender, transactionId, notBefore, updatedAt: ctx.clock() };
  return (await ctx.records.change('permits', permit._id, asSeen(permit), { set })) !== null;
}
