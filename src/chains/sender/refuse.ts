import type { ChargeDoc } from '../../store/collections.ts';
import { asSeen } from '../charges.ts';
import { type ChainContext, later } from '../context.ts';
import type { ChargeFact } from '../port.ts';
import { type News, tell, tellEach } from '../tell.ts';
import { postpone } from './postpone.ts';

interface Refused {
  readonly charge: ChargeDoc;
  readonly why: Extract<ChargeFact, { kind: 'refused' | 'undeliverable' }>;
  /** Kept with the charge beside the reason. */
  readonly note?: Pick<ChargeDoc, 'note'>;
}

type Told = Refused & News;

/** A refusal that its payment does not take, where others have taken theirs, rests so many times as long as what waits for all. */
const UNTOLD_RESTS = 12;

/** How long a refusal that is being told keeps other lanes off its charge. */
const RESERVED_MS = 5_000;

/**
 * Ends charges that simulation refuses. Each is first taken off the queue for a while, by a write that loses to any lane
 * that has taken it in between; then its payment is told; then it is marked. A crash in between repeats the telling. Those
 * whose payment cannot be told at present rest, and hold up no other.
 */
export async function refuse(ctx: ChainContext, refusals: readonly Refused[]): Promise<void> {
  const notBefore = later(ctx, RESERVED_MS);
  const reserved = await reserve(ctx, refusals, notBefore);
  if (reserved.length === 0) return;
  // Once the reservation has run out another lane may have it signed: what was seen before that is not told any more.
  const told = new Set(await tellEach(reserved, async (some) => ctx.clock() < notBefore && (await tell(ctx, some))));
  await mark(ctx, [...told]);
  const untold = reserved.filter((refusal) => !told.has(refusal)).map(({ charge }) => charge);
  if (untold.length > 0) await postpone(ctx, untold, ctx.timing.postponeMs * (told.size > 0 ? UNTOLD_RESTS : 1));
}

async function mark(ctx: ChainContext, told: readonly Told[]): Promise<void> {
  await ctx.records.changeMany(
    'charges',
    told.map(({ charge, why, note }) => ({
      id: charge._id,
      where: asSeen(charge),
      change: { set: { state: 'refused', reason: why.reason, ...note, updatedAt: ctx.clock() } },
    })),
  );
}

async function reserve(ctx: ChainContext, refusals: readonly Refused[], notBefore: Date): Promise<Told[]> {
  const mine = { state: 'waiting', lane: null, transactionId: null, notBefore } as const;
  const won = await ctx.records.changeMany(
    'charges',
    refusals.map(({ charge }) => ({ id: charge._id, where: asSeen(charge), change: { set: mine } })),
  );
  return refusals.flatMap((refusal, index) => {
    if (won[index] !== true) return [];
    return [{ ...refusal, charge: { ...refusal.charge, ...mine }, facts: [refusal.why] }];
  });
}
