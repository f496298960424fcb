import type { ChargeDoc } from '../../../store/collections.ts';
import { asSeen } from '../charges.ts';
import type { EvmContext } from '../context.ts';
import { postpone } from './postpone.ts';

/**
 * Asks the payments whether they still want these attempts, and takes those that do for one transaction. Returns the
 * charges that are this lane's now; one that its payment has taken back is over, one that cannot be asked about rests.
 */
export async function claim(
  ctx: EvmContext,
  sender: string,
  transactionId: string,
  charges: readonly ChargeDoc[],
): Promise<ChargeDoc[]> {
  const answers = await ctx.listener.start(charges);
  const free = charges.filter(({ _id }) => answers.get(_id) === 'go');
  const held = charges.filter(({ _id }) => !answers.has(_id));
  if (held.length > 0) await postpone(ctx, held, ctx.timing.postponeMs);
  await withdraw(
    ctx,
    charges.filter(({ _id }) => answers.get(_id) === 'withdrawn'),
  );
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

async function withdraw(ctx: EvmContext, charges: readonly ChargeDoc[]): Promise<void> {
  if (charges.length === 0) return;
  await ctx.records.changeMany(
    'charges',
    charges.map((charge) => ({
      id: charge._id,
      where: asSeen(charge),
      change: { set: { state: 'withdrawn', lane: null, transactionId: null, updatedAt: ctx.clock() } },
    })),
  );
}
