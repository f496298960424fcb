import { noFaults } from '../../../src/engine/faults.ts';
import { pendingOf } from '../../../src/store/actors/log-actors.ts';
import { Workers } from '../../../src/store/workers.ts';
import { SecretBox } from '../../../src/webhooks/secret-box.ts';
import { createWebhooks } from '../../../src/webhooks/webhooks.ts';
import { troublesInto } from '../../../stage/recording-log.ts';
import { serve } from '../../lib/child.ts';
import { newCustomer } from '../documents.ts';
import { openEngine } from '../engine.ts';
import type { Delivered, DeliverOrder } from './baseline.ts';

const INSERT_BATCH = 1_000;
/** Nobody else takes up the events of an order meanwhile. */
const RELAY_AFTER_MS = 60_000;

/**
 * The product of `webhooks`, in its own process: store, engine and webhooks as a service composes them. The events of
 * an order are customers with `customer.created` in the outbox, stored before the clock starts, as the API leaves
 * them. Then each is handed to the engine, as by the process that wrote it. The clock stops when every result is
 * recorded and the outbox is empty.
 *
 * Arguments: URI, database.
 */
async function open([uri = '', dbName = '']: readonly string[]) {
  const troubles: string[] = [];
  const { store, engine, domain } = await openEngine({ uri, dbName, log: troublesInto(troubles) }, (_, parts) => {
    const meters = { delivery: () => {}, quarantined: () => {} };
    const workers = new Workers({ records: parts.store.records });
    const own = { workers, meters, fault: noFaults, allowLoopback: true, secrets: new SecretBox(null) };
    const webhooks = createWebhooks({ ...parts, ...own });
    return { webhooks, dueEvents: async () => [], handlers: webhooks.handlers };
  });
  const { webhooks } = domain;
  const insert = async (made: readonly NewCustomer[]) => {
    await store.records.insert(
      'outbox',
      made.map(({ outbox }) => outbox),
    );
    await store.records.insert(
      'customers',
      made.map(({ doc }) => doc),
    );
  };
  const commit = (made: readonly NewCustomer[]) => {
    for (const { doc, outbox } of made) {
      engine.resourceCommitted('customers', { ...doc, ...pendingOf(doc._id, outbox) }, outbox.at);
    }
  };
  const settled = async () => {
    do {
      await webhooks.sender.untilIdle();
      await new Promise((resolve) => setImmediate(resolve));
    } while (engine.isBusy() || webhooks.isBusy());
  };

  const deliver = async ({ merchantId, events }: DeliverOrder): Promise<Delivered> => {
    const docs = Array.from({ length: events }, () =>
      newCustomer({ merchantId, mode: 'test' }, new Date(), RELAY_AFTER_MS),
    );
    for (let at = 0; at < docs.length; at += INSERT_BATCH) {
      await insert(docs.slice(at, at + INSERT_BATCH));
    }
    const before = store.roundTrips();
    const began = performance.now();
    commit(docs);
    await settled();
    const ms = performance.now() - began;
    return { ms, roundTrips: store.roundTrips() - before, troubles: troubles.splice(0) };
  };
  return { deliver };
}
export type WebhooksProduct = typeof open;

type NewCustomer = ReturnType<typeof newCustomer>;

serve(open);
