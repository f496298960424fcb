import type { Store } from '../../../src/store/port.ts';
import { newSigningSecret } from '../../../src/webhooks/signature.ts';
import { benchMerchant } from '../merchant.ts';
import type { World } from '../world.ts';
import { combined, type Written, writtenBy } from '../written.ts';
import type { Delivered, DeliverOrder, WebhooksBaseline } from './baseline.ts';
import type { WebhooksProduct } from './product.ts';
import type { WebhooksReceiver } from './receiver.ts';

interface Run {
  readonly perSecond: number;
  /** The MongoDB calls per delivery, with its part of shared calls. */
  readonly roundTripsEach: number;
  /** What the database server wrote per delivery; by the product, that includes the resource with its event. */
  readonly writtenEach: Written;
}

/** Posts `events` events to the receiver. Throws if one did not arrive, or arrived twice. */
type Deliver = (events: number) => Promise<Run>;

/** The senders that post to the receiver of one merchant. */
export interface Sides {
  readonly product: Deliver;
  /** The bare pool in `baseline.ts`, whose docstring names code and options. */
  readonly baseline: Deliver;
}

export async function openSides(world: World, dbName: string): Promise<Sides> {
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
