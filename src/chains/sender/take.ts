import { crc32 } from 'node:zlib';
import type { ChargeDoc } from '../../store/collections.ts';
import type { ChainContext } from '../context.ts';

/** Which of the chain's lanes this is: each has its own share of the charges. */
export interface LanePlace {
  readonly index: number;
  readonly count: number;
}

/** How long the charges of another lane are left to it. */
export const GRACE_MS = 2_000;

/**
 * Up to `limit` waiting charges of enabled tokens, the longest waiting first. Several lanes of one chain look at the same
 * queue: each takes its own share, and where that leaves room what another has left lying.
 */
export async function takeWaiting(
  ctx: Pick<ChainContext, 'chainId' | 'clock' | 'records'>,
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
  const left = waiting.filter(
    (charge) => laneOf(charge, place.count) !== place.index && now.getTime() - charge.notBefore.getTime() > GRACE_MS,
  );
  return [...own, ...left].slice(0, limit);
}

/**
 * The lane that a charge belongs to, whatever the chain's spelling of addresses. What is set aside before a one-off charge is
 * not its own turn among others but the same for all of them: those of one payer go one after another.
 */
function laneOf({ key, from, isCycle }: ChargeDoc, count: number): number {
  return laneFor(isCycle ? key : from, count);
}

/** The lane of whatever has this name. */
export function laneFor(name: string, count: number): number {
  return count === 1 ? 0 : crc32(name) % count;
}
