import { MongoClient } from 'mongodb';
import { Pool } from 'undici';
import type { EventDoc } from '../../../src/store/collections.ts';
import { requestOf } from '../../../src/webhooks/attempt.ts';
import { serve } from '../../lib/child.ts';
import { spread } from '../../lib/spread.ts';
import { eventOf } from '../documents.ts';

/** Post this many events. */
export interface DeliverOrder {
  readonly merchantId: string;
  readonly url: string;
  readonly secret: string;
  readonly events: number;
}

export interface Delivered {
  /** The time until the last event was delivered, and recorded where that is done. */
  readonly ms: number;
  /** All calls to MongoDB together. */
  readonly roundTrips: number;
  readonly troubles: readonly string[];
}

/** As many connections as the product opens to one endpoint. */
const CONNECTIONS = 64;
const BATCH = 250;
const BATCHES_AT_ONCE = 4;

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

/**
 * The baselines of `webhooks`, in their own process.
 *
 * `deliver` is for somebody who only wants the bytes to arrive: an undici `Pool` of 64 connections with pipelining 1
 * posts the same envelopes, each signed with the same HMAC, and reads each answer to its end. It records nothing,
 * retries nothing and checks no address.
 *
 * `record` is the same pool when it may lose nothing. It stores each event before the post and its result after it, and
 * then removes it from the waiting ones. The raw driver makes these three writes in batches of 250, four batches at
 * once, each answered when it is in the journal (`w: 1, j: true`), on plain collections with no index but `_id`. It has
 * no retries and no order, and nobody can search its records.
 *
 * Arguments: URI, database.
 */
async function open([uri = '', dbName = '']: readonly string[]) {
  const client = await MongoClient.connect(uri, { retryWrites: false, maxPoolSize: 8 });
  const db = client.db(dbName, { writeConcern: { w: 1, journal: true } });
  const waiting = db.collection<Waiting>('bareWaiting');
  const events = db.collection<EventDoc>('bareEvents');
  const outcomes = db.collection<Outcome>('bareOutcomes');

  const deliver = (order: DeliverOrder): Promise<Delivered> =>
    posting(order, async (docs, post) => {
      await spread(docs, CONNECTIONS, post);
      return 0;
    });

  const record = async (order: DeliverOrder): Promise<Delivered> =>
    posting(
      order,
      async (docs, post) => {
        const batches = Array.from({ length: Math.ceil(docs.length / BATCH) }, (_, index) =>
          docs.slice(index * BATCH, (index + 1) * BATCH),
        );
        await spread(batches, BATCHES_AT_ONCE, async (batch) => {
          await events.insertMany([...batch], { ordered: false });
          const made = await Promise.all(batch.map((doc) => outcomeOf(doc, post)));
          await outcomes.insertMany(made, { ordered: false });
          await waiting.updateMany({ _id: { $in: batch.map(({ _id }) => _id) } }, { $set: { outbox: [] } });
        });
        return batches.length * 3;
      },
      (docs) => waiting.insertMany(docs.map(({ _id }) => ({ _id, outbox: ['customer.created'] }))),
    );

  return { deliver, record };
}
export type WebhooksBaseline = typeof open;

type Post = (doc: EventDoc) => Promise<number>;

/** The time of `work`, which posts the events of an order and returns its MongoDB calls, but not that of `prepare`. */
async function posting(
  { merchantId, url, secret, events }: DeliverOrder,
  work: (docs: readonly EventDoc[], post: Post) => Promise<number>,
  prepare: (docs: readonly EventDoc[]) => Promise<unknown> = async () => undefined,
): Promise<Delivered> {
  const target = new URL(url);
  const pool = new Pool(target.origin, { connections: CONNECTIONS, pipelining: 1 });
  const post: Post = async (doc) => {
    const { body, headers } = requestOf(doc, { url: target, secrets: [secret], modeSecrets: [] }, new Date());
    const answer = await pool.request({ path: target.pathname, method: 'POST', headers: { ...headers }, body });
    await answer.body.dump();
    return answer.statusCode;
  };
  const docs = Array.from({ length: events }, () => eventOf({ merchantId, mode: 'test' }, new Date()));
  await prepare(docs);
  const began = performance.now();
  const roundTrips = await work(docs, post);
  const ms = performance.now() - began;
  await pool.close();
  return { ms, roundTrips, troubles: [] };
}

async function outcomeOf(doc: EventDoc, post: Post): Promise<Outcome> {
  const at = new Date();
  const status = await post(doc);
  return { _id: doc._id, status, at, ms: Date.now() - at.getTime() };
}

serve(open);
