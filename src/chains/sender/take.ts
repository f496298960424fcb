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

/** Up to `limit` waiting charges of enabled tokens, of all lanes, the longest waiting first. */
export function readWaiting(
  ctx: Pick<ChainContext, 'chainId' | 'clock' | 'records'>,
  tokens: readonly string[],
  limit: number,
): Promise<ChargeDoc[]> {
  return ctx.records.find('charges', {
    where: { chainId: ctx.chainId, state: 'waiting', notBefore: { lte: ctx.clock() }, token: { in: tokens } },
    sort: [['notBefore', 1]],
    limit,
  });
}

/** Of what waits, the lane's own, and what the others have left lying. */
export function shareOf(
  { index, count }: LanePlace,
  waiting: readonly ChargeDoc[],
  now: Date,
): { readonly own: ChargeDoc[]; readonly left: ChargeDoc[] } {
  const own: ChargeDoc[] = [];
  const left: ChargeDoc[] = [];
  for (const charge of waiting) {
    if (laneOf(charge, count) === index) own.push(charge);
    else if (now.getTime() - charge.notBefore.getTime() > GRACE_MS) left.push(charge);
  }
  return { own, left };
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
