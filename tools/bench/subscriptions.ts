import { addDays } from '../../machines/rules/period.ts';
import type { ActorDoc } from '../../src/store/documents.ts';
import type { Store } from '../../src/store/port.ts';
import { insertMany, subscriptionOf } from './api/documents.ts';
import type { BenchRun } from './bench.ts';
import type { World } from './world.ts';

/** The numbers of subscriptions whose figures must not differ. */
export const FEW = 1_000;
export const MANY = { quick: 100_000, full: 1_000_000 } as const;

const TENANT = { merchantId: 'mrc_01hm0000000000000000000000', mode: 'live' } as const;
/** The subscriptions that are not due fall due in these coming days, evenly spread. */
const FIRST_DAY = 2;
const DAYS = 28;

export interface Population {
  readonly count: number;
  /** How many of them, evenly spread, are due now. */
  readonly due: number;
}

/**
 * Fills a database with paid subscriptions, and opens it as the service does. The indexes are built at the end, which
 * is faster than during the inserts.
 */
export async function withSubscriptions(
  world: World,
  run: BenchRun,
  db: string,
  { count, due }: Population,
): Promise<Store> {
  const every = due === 0 ? Number.POSITIVE_INFINITY : Math.floor(count / due);
  const now = new Date();
  const make = (at: Date, index: number): ActorDoc => {
    const doc = subscriptionOf(TENANT, at);
    const days = index % every === 0 ? -1 : FIRST_DAY + (DAYS * index) / count;
    const wakeAt = new Date(now.getTime() + days * 86_400_000);
    const end = wakeAt.toISOString();
    const context = {
      ...doc.context,
      anchor: addDays(end, -30),
      currentPeriodEnd: end,
      wakeAt: end,
      cyclesCompleted: 1,
    };
    return { ...doc, value: { active: 'waiting' }, context, wakeAt };
  };
  await world.store(db);
  await world.mongo.db(db).collection('subscriptions').dropIndexes();
  await insertMany(world.mongo, { db, collection: 'subscriptions' }, count, make, (done) => {
    run.signal.throwIfAborted();
    run.progress.step(`${done.toLocaleString('en')} of ${count.toLocaleString('en')} subscriptions inserted`);
  });
  run.progress.step(`indexes of ${count.toLocaleString('en')} subscriptions`);
  return world.store(db);
}
