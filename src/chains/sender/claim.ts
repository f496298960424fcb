import type { ChargeDoc } from '../../store/collections.ts';
import { changeAsSeen } from '../alike.ts';
import { asSeen } from '../charges.ts';
import type { ChainContext } from '../context.ts';
import { postpone } from './postpone.ts';

type Taken = Pick<ChargeDoc, 'state' | 'lane' | 'transactionId' | 'updatedAt'>;

/**
 * Asks the payments whether they still want these attempts, and takes those that do, each for its transaction. Returns the
 * charges that are this signing queue's now; one that its payment has taken back is over, one that cannot be asked about rests.
 */
export async function claim(
  ctx: ChainContext,
  sender: string,
  transactionIdOf: (charge: ChargeDoc) => string,
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
  const updatedAt = ctx.clock();
  const taken = free.map((charge): Taken => {
    return { state: 'started', lane: sender, transactionId: transactionIdOf(charge), updatedAt };
  });
  const won = await take(ctx, free, taken);
  return free.flatMap((charge, index) => (won.has(charge._id) ? [{ ...charge, ...taken[index] }] : []));
}

/** Those for one transaction in one write. Returns the ids of those that were not another's already. */
async function take(
  ctx: ChainContext,
  charges: readonly ChargeDoc[],
  taken: readonly Taken[],
): Promise<ReadonlySet<string>> {
  const [first] = taken;
  if (first !== undefined && taken.every(({ transactionId }) => transactionId === first.transactionId)) {
    return changeAsSeen(ctx, charges, first);
  }
  const won = await ctx.records.changeMany(
    'charges',
    charges.map((charge, index) => ({ id: charge._id, where: asSeen(charge), change: { set: { ...taken[index] } } })),
  );
  return new Set(charges.flatMap(({ _id }, index) => (won[index] === true ? [_id] : [])));
}

/** Ends attempts that their payments have taken back. */
export async function withdraw(ctx: ChainContext, charges: readonly ChargeDoc[]): Promise<void> {
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
