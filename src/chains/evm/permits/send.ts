import type { PermitDoc } from '../../../store/collections.ts';
import { later } from '../../context.ts';
import type { EvmContext } from '../context.ts';
import { type CallReading, sendCall } from '../sender/send-call.ts';
import type { Signer } from '../signer.ts';
import { asSeen } from './document.ts';

/**
 * Submits a permit in its own transaction. If the sender has too much in flight, the permit waits.
 * @throws OutOfGas when the sender cannot pay for it
 */
export function sendPermit(ctx: EvmContext, signer: Signer, permit: PermitDoc, reading: CallReading): Promise<void> {
  return sendCall(ctx, signer, reading, {
    permitId: permit._id,
    take: (transactionId) => take(ctx, signer.address, permit, transactionId),
    stored: async (transactionId) => {
      const set = { state: 'sent', notBefore: later(ctx, ctx.timing.orphanMs), updatedAt: ctx.clock() };
      await ctx.records.change('permits', permit._id, { state: 'started', transactionId }, { set });
    },
  });
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
