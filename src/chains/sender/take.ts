import { crc32 } from 'node:zlib';
import type { ChargeDoc } from '../../store/collections.ts';
import type { ChainContext } from '../context.ts';

/** The number of a signing queue among those of its chain. Each queue has its own part of the charges. */
export interface QueueNumber {
  readonly index: number;
  readonly count: number;
}

/** How long charges wait for their own signing queue before another queue may take them. */
const GRACE_MS = 2_000;

/** Up to `limit` waiting charges of these tokens, for all queues, the longest waiting first. */
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

/** The waiting charges of this signing queue, and those of other queues that have waited for too long. */
export function divide(
  { index, count }: QueueNumber,
  waiting: readonly ChargeDoc[],
  now: Date,
): { readonly own: ChargeDoc[]; readonly left: ChargeDoc[] } {
  const own: ChargeDoc[] = [];
  const left: ChargeDoc[] = [];
  for (const charge of waiting) {
    if (queueOf(charge, count) === index) own.push(charge);
    else if (now.getTime() - charge.notBefore.getTime() > GRACE_MS) left.push(charge);
  }
  return { own, left };
}

/**
 * The signing queue of a charge. Cycles are spread by key. One-off charges of one payer share a queue, one after
 * another, because the same reserves apply to all of them. The spelling of an address does not matter.
 */
function queueOf({ key, from, isCycle }: ChargeDoc, count: number): number {
  return queueFor(isCycle ? key : from, count);
}

/** The due items of one signing queue: those of its own names, and others that their queue has not taken in time. */
export function dueIn<T extends { readonly notBefore: Date }>(
  { index, count }: QueueNumber,
  due: readonly T[],
  nameOf: (item: T) => string,
  now: Date,
): T[] {
  const isLeft = ({ notBefore }: T): boolean => now.getTime() - notBefore.getTime() > GRACE_MS;
  return due.filter((item) => queueFor(nameOf(item), count) === index || isLeft(item));
}

/** The number of the signing queue for this name. */
function queueFor(name: string, count: number): number {
  return count === 1 ? 0 : crc32(name) % count;
}
