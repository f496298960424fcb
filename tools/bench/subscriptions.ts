import { addDays } from '../../machines/rules/period.ts';
import { timerOf } from '../../src/store/actors/timers.ts';
import type { ActorDoc } from '../../src/store/documents.ts';
import type { Store } from '../../src/store/port.ts';
import { insertMany, NOBODY, subscriptionOf } from './documents.ts';
import type { World } from './world.ts';

/** The numbers of subscriptions whose figures must not differ. */
export const FEW = 1_000;
export const MANY = { quick: 100_000, full: 1_000_000 } as const;

const DAY_MS = 86_400_000;
/** The subscriptions that are not due fall due in these coming days. */
const FIRST_DAY = 2;
const DAYS = 28;

/** A time in the coming days at this share of them, from 0 to 1. */
export function comingDay(share: number): Date {
  return new Date(Date.now() + (FIRST_DAY + DAYS * share) * DAY_MS);
}

export interface Population {
  readonly count: number;
  /** How many of them, evenly spread, are due now. */
  readonly due: number;
}

/**
 * Fills a database with paid subscriptions, and opens it as the service does. The indexes are built at the end, which
 * is faster than during the inserts.
 */
export async function withSubscriptions(world: World, db: string, { count, due }: Population): Promise<Store> {
  const every = due === 0 ? Number.POSITIVE_INFINITY : Math.floor(count / due);
  const make = (at: Date, index: number): ActorDoc => {
    const doc = subscriptionOf(NOBODY, at);
    const wakeAt = index % every === 0 ? new Date(Date.now() - DAY_MS) : comingDay(index / count);
    const end = wakeAt.toISOString();
    const own = { anchor: addDays(end, -30), currentPeriodEnd: end, wakeAt: end, cyclesCompleted: 1 };
    return { ...doc, value: { active: 'waiting' }, context: { ...doc.context, ...own }, wakeAt };
  };
  await world.openStore(db);
  for (const name of ['subscriptions', 'timers']) await world.mongo.db(db).collection(name).dropIndexes();
  await insertMany(world, { db, collection: 'subscriptions', timerOf }, count, make);
  world.progress.step(`${db}: indexes`);
  return world.openStore(db);
}
