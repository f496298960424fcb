import type { ChargeDoc } from '../../../store/collections.ts';
import { asSeen } from '../charges.ts';
import type { EvmContext } from '../context.ts';
import { postpone } from './postpone.ts';

/**
 * Asks the payments whether they still want these attempts, and takes those that do for one transaction. Returns the
 * charges that are this lane's now; a charge that its payment does not give free rests for a while.
 */
export async function claim(
  ctx: EvmContext,
  sender: string,
  transactionId: string,
  charges: readonly ChargeDoc[],
): Promise<ChargeDoc[]> {
  const allowed = await ctx.listener.start(charges);
  const free = charges.filter((charge) => allowed.has(charge._id));
  const held = charges.filter((charge) => !allowed.has(charge._id));
  if (held.length > 0) await postpone(ctx, held, ctx.timing.postponeMs);
  const taken: Pick<ChargeDoc, 'state' | 'lane' | 'transactionId' | 'updatedAt'> = {
    state: 'started',
    lane: sender,
    transactionId,
    updatedAt: ctx.clock(),
  };
  const won = await ctx.records.changeMany(
    'charges',
    free.map((charge) => ({ id: charge._id, where: asSeen(charge), change: { set: { ...taken } } })),
  );
  return free.flatMap((charge, index) => (won[index] === true ? [{ ...charge, ...taken }] : []));
}
