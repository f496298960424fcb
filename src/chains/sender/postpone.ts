import type { ChargeDoc } from '../../store/collections.ts';
import { asSeen } from '../charges.ts';
import { type ChainContext, later } from '../context.ts';

/**
 * Puts charges back into the queue; no queue takes them for `ms` milliseconds. Charges that others changed meanwhile
 * stay as they are.
 */
export async function postpone(ctx: ChainContext, charges: readonly ChargeDoc[], ms: number): Promise<void> {
  const notBefore = later(ctx, ms);
  await ctx.records.changeMany(
    'charges',
    charges.map((charge) => ({
      id: charge._id,
      where: asSeen(charge),
      change: { set: { state: 'waiting', lane: null, transactionId: null, notBefore, updatedAt: ctx.clock() } },
    })),
  );
}
