import type { ChargeDoc } from '../../store/collections.ts';
import { asSeen } from '../charges.ts';
import { type ChainContext, later } from '../context.ts';
import type { Refusal } from '../evm/sender/sort.ts';

interface Told extends Pick<Refusal, 'charge' | 'why'> {
  /** Kept with the charge beside the reason. */
  readonly note?: Pick<ChargeDoc, 'note'>;
}

/** How long a refusal that is being told keeps other lanes off its charge. */
const RESERVED_MS = 5_000;

/**
 * Ends charges that simulation refuses. Each is first taken off the queue for a while, by a write that loses to any lane
 * that has taken it in between; then its payment is told; then it is marked. A crash in between repeats the telling.
 */
export async function refuse(ctx: ChainContext, refusals: readonly Told[]): Promise<void> {
  const reserved = await reserve(ctx, refusals);
  if (reserved.length === 0) return;
  await ctx.listener.tell(reserved.map(({ charge, why }) => ({ charge, fact: why })));
  await ctx.records.changeMany(
    'charges',
    reserved.map(({ charge, why, note }) => ({
      id: charge._id,
      where: asSeen(charge),
      change: { set: { state: 'refused', reason: why.reason, ...note, updatedAt: ctx.clock() } },
    })),
  );
}

async function reserve(ctx: ChainContext, refusals: readonly Told[]): Promise<Told[]> {
  const notBefore = later(ctx, RESERVED_MS);
  const won = await ctx.records.changeMany(
    'charges',
    refusals.map(({ charge }) => ({
      id: charge._id,
      where: asSeen(charge),
      change: { set: { state: 'waiting', lane: null, transactionId: null, notBefore } },
    })),
  );
  const mine: Pick<ChargeDoc, 'state' | 'lane' | 'transactionId' | 'notBefore'> = {
    state: 'waiting',
    lane: null,
    transactionId: null,
    notBefore,
  };
  return refusals.flatMap((refusal, index) =>
    won[index] === true ? [{ ...refusal, charge: { ...refusal.charge, ...mine } }] : [],
  );
}
