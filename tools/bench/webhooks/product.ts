import { z } from 'zod';
import { MACHINES } from '../../../machines/versions.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { noFaults } from '../../../src/engine/faults.ts';
import type { CustomerDoc } from '../../../src/store/collections.ts';
import { openMongoStore } from '../../../src/store/mongo/store.ts';
import type { Store } from '../../../src/store/port.ts';
import { SecretBox } from '../../../src/webhooks/secret-box.ts';
import { createWebhooks, type Webhooks } from '../../../src/webhooks/webhooks.ts';
import { answerOrders } from '../answer-orders.ts';
import { customerOf } from '../api/documents.ts';
import { handlersOf } from '../handlers.ts';
import {
  type Delivered,
  type DeliverOrder,
  deliverOrder,
  type Happened,
  type PaceOrder,
  paceOrder,
} from './messages.ts';

/**
 * The product of `webhooks`, in its own process: store, engine and webhooks as a service composes them. The events of
 * an order are customers with `customer.created` in their outboxes, stored before the clock starts, as the API leaves
 * them. Then each is handed to the engine, as by the process that wrote it. The clock stops when every result is
 * recorded and every outbox is empty.
 *
 * Arguments: URI, database. It answers a `DeliverOrder` with a `Delivered`, and a `PaceOrder` with a `Happened`.
 */
const INSERT_BATCH = 1_000;
const PACE_MS = 5;

interface Product {
  readonly store: Store;
  readonly engine: Engine;
  readonly webhooks: Webhooks;
  readonly troubles: string[];
}

async function open([uri = '', dbName = '']: readonly string[]): Promise<Product> {
  const troubles: string[] = [];
  const note = (_fields: object, message: string) => void troubles.push(message);
  const log = { debug: () => undefined, info: () => undefined, warn: note, error: note };
  const clock = () => new Date();
  const store = await openMongoStore({ uri, dbName, log });
  let webhooks: Webhooks | undefined;
  const engine = new Engine({ store, clock, log, fault: noFaults, machines: MACHINES, dispatchesDue: true }, (made) => {
    const open = createWebhooks({
      store,
      engine: made,
      clock,
      log,
      fault: noFaults,
      allowLoopback: true,
      secrets: new SecretBox(null),
    });
    webhooks = open;
    return {
      admits: () => true,
      dueEvents: async (docs) => docs.map(() => ({ kind: 'delivery', event: { type: 'delivery.due' } }) as const),
      onCommitted: open.onCommitted,
      handlers: handlersOf(open.handlers),
    };
  });
  if (!webhooks) throw new Error('the engine did not ask for its domain');
  return { store, engine, webhooks, troubles };
}

async function deliver(product: Product, { merchantId, events }: DeliverOrder): Promise<Delivered> {
  const docs = Array.from({ length: events }, () => customerWithEvent(merchantId));
  for (let at = 0; at < docs.length; at += INSERT_BATCH) {
    await product.store.records.insert('customers', docs.slice(at, at + INSERT_BATCH));
  }
  const before = product.store.roundTrips();
  const began = performance.now();
  for (const doc of docs) product.engine.resourceCommitted('customers', doc);
  await settled(product);
  const ms = performance.now() - began;
  return { ms, events, roundTrips: product.store.roundTrips() - before, troubles: product.troubles.splice(0) };
}

function customerWithEvent(merchantId: string): CustomerDoc {
  const at = new Date();
  const doc = customerOf({ merchantId, mode: 'test' }, at);
  const effect = { type: 'webhook.emit', event: 'customer.created', data: { customerId: doc._id, wallets: [] } };
  const outbox = [{ id: `${doc._id}:1:0`, rev: 1, index: 0, at, sequence: 1, effect }];
  return { ...doc, outbox, relayAt: new Date(at.getTime() + 60_000) };
}

/** Makes batches of a few milliseconds. Each is stored and handed to the engine like requests that arrive together. */
async function pace(product: Product, { merchantIds, events, perSecond }: PaceOrder): Promise<Happened> {
  const began = performance.now();
  for (let made = 0; made < events; ) {
    await new Promise((resolve) => setTimeout(resolve, PACE_MS));
    const due = Math.min(events, Math.ceil(((performance.now() - began) * perSecond) / 1_000));
    const ids = Array.from(
      { length: due - made },
      (_, index) => merchantIds[(made + index) % merchantIds.length] ?? '',
    );
    const docs = ids.map(customerWithEvent);
    made = due;
    await product.store.records.insert('customers', docs);
    for (const doc of docs) product.engine.resourceCommitted('customers', doc);
  }
  return { troubles: product.troubles.splice(0) };
}

async function settled({ engine, webhooks }: Product): Promise<void> {
  do {
    await webhooks.sender.untilIdle();
    await new Promise((resolve) => setImmediate(resolve));
  } while (engine.isBusy() || webhooks.isBusy());
}

const opening = open(process.argv.slice(2));
answerOrders(z.union([paceOrder, deliverOrder]), async (order) => {
  const product = await opening;
  return 'merchantIds' in order ? pace(product, order) : deliver(product, order);
});
