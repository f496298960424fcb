import type { Interval } from '../../../machines/rules/period.ts';
import { insertMany } from '../api/documents.ts';
import type { BenchRun } from '../bench.ts';
import { orderOf } from '../settlement/drain.ts';
import { subscriptionDue } from '../settlement/due.ts';
import { PRICE, type Shop } from '../settlement/shop.ts';

const MONTHLY: Interval = { unit: 'month', count: 1 };
/** With the fee of 1 %, every step changes the merchant's share by a whole number of base units. */
const STEP = 100n;
const BPS = 10_000n;

/** The price of subscription `index`. No two are equal, so a transfer tells its subscription. */
export function priceOf(index: number): bigint {
  return PRICE + STEP * BigInt(index);
}

/** The subscription with this price; null: none has it. */
export function indexOfPrice(price: bigint): number | null {
  const index = Number((price - PRICE) / STEP);
  return index >= 0 && priceOf(index) === price ? index : null;
}

/** The number of the subscription with this merchant's share; null: none has it. */
export function indexOfShare(share: bigint, feeBps: number): number | null {
  const part = BPS - BigInt(feeBps);
  return (share * BPS) % part === 0n ? indexOfPrice((share * BPS) / part) : null;
}

/** Writes `count` monthly subscriptions that are all due now. Their creation lies before that. */
export async function insertSubscriptions(
  shop: Shop,
  { count, receiver }: { readonly count: number; readonly receiver: string },
  { progress, signal }: Pick<BenchRun, 'progress' | 'signal'>,
): Promise<void> {
  const due = new Date();
  const into = { db: shop.db, collection: 'subscriptions' };
  const make = (_: Date, number: number) => {
    const index = number - 1;
    return subscriptionDue(orderOf(shop, index, receiver), { interval: MONTHLY, amount: priceOf(index), due });
  };
  await insertMany(shop.world.mongo, into, count, make, (done) => {
    signal.throwIfAborted();
    progress.step(`month: ${done.toLocaleString('en')} of ${count.toLocaleString('en')} subscriptions written`);
  });
}
