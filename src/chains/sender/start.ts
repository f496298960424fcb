import type { ChargeDoc } from '../../store/collections.ts';
import { changeAsSeen } from '../alike.ts';
import { asSeen } from '../charges.ts';
import type { ChainContext } from '../context.ts';
import { postpone } from './postpone.ts';

type Started = Pick<ChargeDoc, 'state' | 'lane' | 'transactionId' | 'updatedAt'>;

/**
 * Asks the payments whether they still want these attempts, and marks the wanted ones as started, each for its
 * transaction. From then on nobody can withdraw them. Returns the charges that this signing queue has taken. An attempt
 * that its payment has withdrawn ends; a charge whose payment gives no answer waits.
 */
export async function startCharges(
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
  const started = free.map((charge): Started => {
    return { state: 'started', lane: sender, transactionId: transactionIdOf(charge), updatedAt };
  });
  const won = await markStarted(ctx, free, started);
  return free.flatMap((charge, index) => (won.has(charge._id) ? [{ ...charge, ...started[index] }] : []));
}

/** Writes all charges of one transaction in one write. Returns the ids of those that no other queue has taken. */
async function markStarted(
  ctx: ChainContext,
  charges: readonly ChargeDoc[],
  started: readonly Started[],
): Promise<ReadonlySet<string>> {
  const [first] = started;
  if (first !== undefined && started.every(({ transactionId }) => transactionId === first.transactionId)) {
    return changeAsSeen(ctx, charges, first);
  }
  const won = await ctx.records.changeMany(
    'charges',
    charges.map((charge, index) => ({ id: charge._id, where: asSeen(charge), change: { set: { ...started[index] } } })),
  );
  return new Set(charges.flatMap(({ _id }, index) => (won[index] === true ? [_id] : [])));
}

/** Ends attempts that their payments have withdrawn. */
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
