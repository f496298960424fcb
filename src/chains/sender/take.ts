import type { ChargeDoc } from '../../store/collections.ts';
import type { ChainContext } from '../context.ts';

/** Which of the chain's lanes this is: each has its own share of the charges. */
export interface LanePlace {
  readonly index: number;
  readonly count: number;
}

/** How long the charges of another lane are left to it. */
const GRACE_MS = 2_000;

/**
 * Up to `limit` waiting charges of enabled tokens, the longest waiting first. Several lanes of one chain look at the same
 * queue: each takes its own share, and only where it has none what another has left lying.
 */
export async function takeWaiting(
  ctx: Pick<ChainContext, 'chainId' | 'records' | 'clock'>,
  place: LanePlace,
  tokens: readonly string[],
  limit: number,
): Promise<ChargeDoc[]> {
  const now = ctx.clock();
  const waiting = await ctx.records.find('charges', {
    where: { chainId: ctx.chainId, state: 'waiting', notBefore: { lte: now }, token: { in: tokens } },
    sort: [['notBefore', 1]],
    limit: limit * place.count,
  });
  const own = waiting.filter((charge) => laneOf(charge, place.count) === place.index);
  if (own.length > 0) return own.slice(0, limit);
  return waiting.filter((charge) => now.getTime() - charge.notBefore.getTime() > GRACE_MS).slice(0, limit);
}

/**
 * The lane that a charge belongs to: keys are hashes, so cycles spread evenly. What is set aside before a one-off charge is
 * not its own turn among others but the same for all of them: those of one payer go one after another.
 */
function laneOf({ key, from, isCycle }: ChargeDoc, count: number): number {
  return count === 1 ? 0 : Number.parseInt((isCycle ? key : from).slice(-6), 16) % count;
}
