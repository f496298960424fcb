import { z } from 'zod';
import type { Store } from '../../../src/store/port.ts';
import { newSigningSecret } from '../../../src/webhooks/signature.ts';
import { benchMerchant } from '../api/merchant.ts';
import { type Child, startChild } from '../child.ts';
import type { Side } from '../contest.ts';
import type { World } from '../world.ts';
import { type DeliverOrder, delivered } from './messages.ts';

/** A merchant with a receiver of its own, and what posts to it. */
export interface Stage {
  readonly merchantId: string;
  /** Deliveries per second of the product on a database, so many at a time; throws where one did not arrive. */
  product(dbName: string, events: number): Promise<Side>;
  /** Of the bare pool in `baseline.ts`, whose code and options its docstring names. */
  baseline(events: number): Side;
}

const received = z.object({ port: z.int(), received: z.int() });

export async function openStage(world: World, store: Store): Promise<Stage> {
  const { merchantId } = await benchMerchant(store, 'Receives');
  const secret = newSigningSecret();
  const receiver = started(world, './receiver.ts');
  const { port } = await receiver.ask({}, received);
  const url = `http://127.0.0.1:${port}/webhooks`;
  await store.records.change(
    'merchants',
    merchantId,
    {},
    { set: { 'webhook.testUrl': url, 'webhook.secret': secret } },
  );
  const sideOf = (child: Child, events: number): Side => {
    const order: DeliverOrder = { merchantId, url, secret, events };
    return async () => {
      const before = (await receiver.ask({}, received)).received;
      const { ms, troubles } = await child.ask(order, delivered);
      const arrived = (await receiver.ask({}, received)).received - before;
      if (arrived !== events || troubles.length > 0) {
        throw new Error(`${arrived} of ${events} deliveries arrived; ${troubles.slice(0, 3).join('; ')}`);
      }
      return (events / ms) * 1_000;
    };
  };
  const bare = started(world, './baseline.ts');
  return {
    merchantId,
    product: async (dbName, events) => sideOf(started(world, './product.ts', [world.mongoUri, dbName]), events),
    baseline: (events) => sideOf(bare, events),
  };
}

function started(world: World, file: string, args: readonly string[] = []): Child {
  const child = startChild(import.meta.url, file, args);
  world.onStop(() => child.stop());
  return child;
}
