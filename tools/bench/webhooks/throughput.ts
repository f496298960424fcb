import type { Store } from '../../../src/store/port.ts';
import { newSigningSecret } from '../../../src/webhooks/signature.ts';
import { hold } from '../contest.ts';
import { benchMerchant } from '../merchant.ts';
import { counted, median, type Row } from '../row.ts';
import type { World } from '../world.ts';
import { combined, type Written, writtenBy, writtenRows } from '../written.ts';
import type { Delivered, DeliverOrder, WebhooksBaseline } from './baseline.ts';
import type { WebhooksProduct } from './product.ts';
import type { WebhooksReceiver } from './receiver.ts';

const AT_LEAST = 0.45;
const TRIPS_AT_MOST = 1;

/**
 * The most that a delivery of many may cost: the resource, its outbox, which is removed, and its event with the
 * delivery. An event whose first attempt takes so long that it is stored before the answer is updated once.
 */
export const DELIVERY_BUDGET: Written = { inserted: 3.2, updated: 1.2, deleted: 1.2, commits: 1.5, journaled: 3_500 };
const ROUNDS = { quick: { rounds: 5, turns: 1 }, full: { rounds: 7, turns: 2 } } as const;
/** A turn of the bare pool takes longer than a second, so that other work on the machine affects all turns. */
const EVENTS = { quick: 4_000, full: 16_000 } as const;

/** To one receiver that verifies them, beside a bare pool that posts the same bytes and records nothing. */
export async function deliveries(world: World): Promise<Row[]> {
  world.progress.step('webhooks: starting both sides');
  const { product, baseline } = await openSides(world, 'webhooks');
  const events = EVENTS[world.size];
  const roundTrips: number[] = [];
  const written: Written[] = [];
  const row = await hold(world, {
    name: 'deliveries to one endpoint',
    unit: 'deliveries/s',
    product: async () => {
      const { perSecond, roundTripsEach, writtenEach } = await product(events);
      roundTrips.push(roundTripsEach);
      written.push(writtenEach);
      return perSecond;
    },
    baseline: async () => (await baseline(events)).perSecond,
    target: { atLeast: AT_LEAST },
    ...ROUNDS[world.size],
  });
  const per = `delivery of ${events}`;
  return [
    row,
    counted(`MongoDB calls per ${per}`, 'round trips', median(roundTrips), { atMost: TRIPS_AT_MOST }),
    ...writtenRows(
      per,
      written.reduce((one, other) => combined(one, other, Math.min)),
      DELIVERY_BUDGET,
    ),
  ];
}

interface Run {
  readonly perSecond: number;
  /** The MongoDB calls per delivery, with its part of shared calls. */
  readonly roundTripsEach: number;
  /** What the database server wrote per delivery; by the product, that includes the resource with its event. */
  readonly writtenEach: Written;
}

/** Posts `events` events to the receiver. Throws if one did not arrive, or arrived twice. */
type Deliver = (events: number) => Promise<Run>;

/** The senders that post to the receiver of one merchant. `baseline.ts` names code and options of the bare pool. */
export async function openSides(world: World, dbName: string) {
  const store = await world.openStore(dbName);
  const secret = newSigningSecret();
  const receiver = world.child<WebhooksReceiver>(import.meta.url, './receiver.ts', [secret]);
  const url = await receiver.ask('url');
  const merchantId = await receivingMerchant(store, url, secret);
  const by = (deliver: (order: DeliverOrder) => Promise<Delivered>): Deliver => {
    return async (events) => {
      const before = await writtenBy(world.mongo);
      const { ms, roundTrips, troubles } = await deliver({ merchantId, url, secret, events });
      const after = await writtenBy(world.mongo);
      const arrived = await receiver.ask('take');
      if (arrived !== events || troubles.length > 0)
        throw new Error(`${arrived} of ${events} deliveries arrived; ${troubles.slice(0, 3).join('; ')}`);
      const writtenEach = combined(after, before, (end, start) => (end - start) / events);
      return { perSecond: (events / ms) * 1_000, roundTripsEach: roundTrips / events, writtenEach };
    };
  };
  const product = world.child<WebhooksProduct>(import.meta.url, './product.ts', [world.mongoUri, dbName]);
  const bare = world.child<WebhooksBaseline>(import.meta.url, './baseline.ts');
  return {
    product: by((order) => product.ask('deliver', order)),
    baseline: by((order) => bare.ask('deliver', order)),
  };
}

/** Makes a merchant whose sandbox events go to the URL, signed with the secret. Resolves with its id. */
async function receivingMerchant(store: Store, url: string, secret: string): Promise<string> {
  const { merchantId } = await benchMerchant(store, 'Receives');
  const set = { 'webhook.testUrl': url, 'webhook.secret': secret };
  await store.records.change('merchants', merchantId, {}, { set });
  return merchantId;
}
