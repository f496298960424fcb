import { MongoClient } from 'mongodb';
import type { EventDoc } from '../../../src/store/collections.ts';
import { spread } from '../../lib/spread.ts';
import { answerOrders } from '../answer-orders.ts';
import { type Delivered, type DeliverOrder, deliverOrder } from './messages.ts';
import { BarePool, eventsOf } from './pool.ts';

/**
 * A second baseline of `webhooks`: the same pool when it may lose nothing. It stores each event before the post and its
 * result after it, and then removes it from the waiting ones. The raw driver makes these three writes in batches of
 * 250, four batches at once, each answered when it is in the journal (`w: 1, j: true`), on plain collections with no
 * index but `_id`. It has no retries and no order, and nobody can search its records.
 *
 * Arguments: URI, database. It answers each `DeliverOrder` with a `Delivered`.
 */
const BATCH = 250;
const AT_ONCE = 4;

interface Waiting {
  readonly _id: string;
  readonly outbox: readonly string[];
}

interface Outcome {
  readonly _id: string;
  readonly status: number;
  readonly at: Date;
  readonly ms: number;
}

async function deliver(client: MongoClient, dbName: string, order: DeliverOrder): Promise<Delivered> {
  const db = client.db(dbName, { writeConcern: { w: 1, journal: true } });
  const waiting = db.collection<Waiting>('bareWaiting');
  const events = db.collection<EventDoc>('bareEvents');
  const outcomes = db.collection<Outcome>('bareOutcomes');
  const docs = eventsOf(order);
  await waiting.insertMany(docs.map(({ _id }) => ({ _id, outbox: ['customer.created'] })));
  const batches = Array.from({ length: Math.ceil(docs.length / BATCH) }, (_, index) =>
    docs.slice(index * BATCH, (index + 1) * BATCH),
  );
  const pool = new BarePool(order);
  const began = performance.now();
  await spread(batches, AT_ONCE, async (batch) => {
    await events.insertMany(batch, { ordered: false });
    const made = await Promise.all(batch.map((doc) => outcomeOf(pool, doc)));
    await outcomes.insertMany(made, { ordered: false });
    await waiting.updateMany({ _id: { $in: batch.map(({ _id }) => _id) } }, { $set: { outbox: [] } });
  });
  const ms = performance.now() - began;
  await pool.close();
  return { ms, events: docs.length, roundTrips: batches.length * 3, troubles: [] };
}

async function outcomeOf(pool: BarePool, doc: EventDoc): Promise<Outcome> {
  const at = new Date();
  const status = await pool.post(doc);
  return { _id: doc._id, status, at, ms: Date.now() - at.getTime() };
}

const [uri = '', dbName = ''] = process.argv.slice(2);
const opening = MongoClient.connect(uri, { retryWrites: false, maxPoolSize: 8 });
answerOrders(deliverOrder, async (order) => deliver(await opening, dbName, order));
