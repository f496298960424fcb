import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { addDays } from '../../../machines/rules/period.ts';
import type { ActorDoc, JournalDoc } from '../../../src/store/documents.ts';
import type { Store } from '../../../src/store/port.ts';
import { openWorld } from '../../crashtest/world.ts';
import type { BenchRun } from '../bench.ts';
import { NODE_ENV } from '../service.ts';

/** One subscription as the service has made and billed it, with all that was journaled of it. */
export interface Specimen {
  readonly subscription: ActorDoc;
  readonly journal: readonly JournalDoc[];
  /** How many cycles it has paid. */
  readonly cycles: number;
}

/** So long it is billed, monthly. */
const DAYS = 100;
const JOURNAL_MAX = 1_000;
/** So long its last effects may take. */
const REST_MS = 30_000;
const POLL_MS = 20;

const counting = z.object({ cyclesCompleted: z.int() });
const withId = z.object({ id: z.string() });
const advanced = z.object({ now: z.iso.datetime(), complete: z.boolean() });

/** Through the API of a service with a local chain: subscribed, authorized, charged, and some months of its life. */
export async function madeByService({ signal }: Pick<BenchRun, 'signal'>): Promise<Specimen> {
  const world = await openWorld();
  try {
    await world.start({ LOG_LEVEL: 'warn', NODE_ENV });
    const { merchant, shop, store } = world;
    const order = { priceId: shop.priceId, customerId: shop.payers[0]?.customerId };
    const { id: subscriptionId } = withId.parse(await merchant.call('POST', '/subscriptions', order));
    const advance = async (until: object) =>
      advanced.parse(await merchant.call('POST', '/sandbox/advance', { subscriptionId, ...until }, signal));
    const to = addDays((await advance({ status: 'active' })).now, DAYS);
    while (!(await advance({ to })).complete) signal.throwIfAborted();
    const subscription = await atRest(store, subscriptionId);
    const where = { actorId: subscriptionId };
    const journal = await store.records.find('journal', { where, sort: [['rev', 1]], limit: JOURNAL_MAX });
    if (subscription.status !== 'active') throw new Error(`${subscriptionId} is not active after ${DAYS} days`);
    const { cyclesCompleted: cycles } = counting.parse(subscription.context);
    // Nobody moves the clock of a subscription that lives through its months.
    return { subscription, journal: journal.filter(({ event }) => event.type !== 'clock.moved'), cycles };
  } finally {
    await world.stop();
  }
}

/** Effects that it still had in its outbox would stand in every copy, for the service to carry out while it is measured. */
async function atRest({ actors }: Pick<Store, 'actors'>, id: string): Promise<ActorDoc> {
  const deadline = performance.now() + REST_MS;
  while (performance.now() < deadline) {
    const [doc] = await actors.load('subscription', [id]);
    if (doc?.relayAt === null && doc.outbox.length === 0) return doc;
    await delay(POLL_MS);
  }
  throw new Error(`after ${REST_MS} ms ${id} still has effects in its outbox`);
}
