import { z } from 'zod';
import type { Store } from '../../../src/store/port.ts';
import { newSigningSecret } from '../../../src/webhooks/signature.ts';
import { type Child, childOf } from '../child.ts';
import { benchMerchant } from '../merchant.ts';
import type { World } from '../world.ts';
import { combined, type Written, writtenBy } from '../written.ts';
import { type DeliverOrder, delivered } from './messages.ts';

/** The result of a number of deliveries. */
interface Run {
  readonly perSecond: number;
  /** The arrival times in ms, by the receiver's clock. */
  readonly arrivals: readonly number[];
  /** The MongoDB calls per delivery, with its part of shared calls. */
  readonly roundTripsEach: number;
  /** What the database server wrote per delivery; by the product, that includes the resource with its event. */
  readonly writtenEach: Written;
}

/** Posts `events` events to the stage's receiver. Throws if one did not arrive, or arrived twice. */
export type Deliver = (events: number) => Promise<Run>;

/** The parts of the world that a stage needs. */
export type Backdrop = Pick<World, 'mongo' | 'mongoUri' | 'onStop'>;

/** A merchant with its own receiver, and the senders that post to it. */
export interface Stage {
  readonly merchantId: string;
  /** The product (`product.ts`) on the stage's database. */
  readonly product: Deliver;
  /** The bare pool in `baseline.ts`, whose docstring names code and options. */
  readonly baseline: Deliver;
  /** The same pool with records (`recording.ts`). */
  readonly recording: Deliver;
}

/** An answer of a receiver. */
export const received = z.object({ port: z.int(), arrivals: z.array(z.number()), ages: z.array(z.number()) });

export async function openStage(world: Backdrop, store: Store, dbName: string): Promise<Stage> {
  const secret = newSigningSecret();
  const receiver = childOf(world, import.meta.url, './receiver.ts', [secret]);
  const { port } = await receiver.ask({}, received);
  const url = `http://127.0.0.1:${port}/webhooks`;
  const merchantId = await receivingMerchant(store, url, secret);
  const by = (child: Child): Deliver => {
    return async (events) => {
      const order: DeliverOrder = { merchantId, url, secret, events };
      const before = await writtenBy(world.mongo);
      const { ms, roundTrips, troubles } = await child.ask(order, delivered);
      const after = await writtenBy(world.mongo);
      const { arrivals } = await receiver.ask({}, received);
      if (arrivals.length === events && troubles.length === 0) {
        const writtenEach = combined(after, before, (end, start) => (end - start) / events);
        return { perSecond: (events / ms) * 1_000, arrivals, roundTripsEach: roundTrips / events, writtenEach };
      }
      throw new Error(`${arrivals.length} of ${events} deliveries arrived; ${troubles.slice(0, 3).join('; ')}`);
    };
  };
  return {
    merchantId,
    product: by(childOf(world, import.meta.url, './product.ts', [world.mongoUri, dbName])),
    baseline: by(childOf(world, import.meta.url, './baseline.ts')),
    recording: by(childOf(world, import.meta.url, './recording.ts', [world.mongoUri, dbName])),
  };
}

/** Makes a merchant whose sandbox events go to the URL, signed with the secret. Resolves with its id. */
export async function receivingMerchant(store: Store, url: string, secret: string): Promise<string> {
  const { merchantId } = await benchMerchant(store, 'Receives');
  const set = { 'webhook.testUrl': url, 'webhook.secret': secret };
  await store.records.change('merchants', merchantId, {}, { set });
  return merchantId;
}
