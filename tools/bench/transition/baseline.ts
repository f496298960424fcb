import { type Collection, type Document, MongoClient } from 'mongodb';
import { fieldsOf, RECENT_OPS } from '../../../src/store/change.ts';
import type { ActorDoc } from '../../../src/store/documents.ts';
import type { Commit } from '../../../src/store/port.ts';
import { serve } from '../../lib/child.ts';
import { spread } from '../../lib/spread.ts';
import { actors, CONCURRENCY, commitOf, type TransitionOrder } from './write.ts';

/**
 * The baseline of `transition`, in its own process: the raw driver on a collection with the service's indexes and
 * documents. One by one: `findOne({_id})` and `updateOne({_id, rev})`, by 32 callers. Many: `bulkWrite` of those
 * updates, unordered, 500 at a time, two under way at once, without reads. The updates are byte for byte the product's
 * for the same documents, effects in the outbox included; they are computed before the clock starts. It has no machine,
 * no checks and no journal, and nothing processes the outbox.
 *
 * Options: 32 connections, no retries, `w: 1` with journal, which are the service's on the embedded engine.
 *
 * Arguments: URI, database.
 */
async function open([uri = '', dbName = '']: readonly string[]) {
  const client = await MongoClient.connect(uri, { maxPoolSize: 32, retryWrites: false });
  const db = client.db(dbName, { writeConcern: { w: 1, journal: true } });
  const rows = db.collection<Row>('subscriptions');
  return { transition: (order: TransitionOrder) => transition(rows, order) };
}

const BULK = 500;
const BULKS_AT_ONCE = 2;

type Row = Document & { readonly _id: string };

interface Update {
  readonly filter: { readonly _id: string; readonly rev: number };
  readonly update: Document;
}

/** The milliseconds until the last event was stored. */
async function transition(rows: Collection<Row>, { how, actors: count }: TransitionOrder): Promise<number> {
  const docs = actors(count);
  const updates = docs.map((doc) => updateOf(commitOf(doc)));
  await rows.insertMany(docs);
  const began = performance.now();
  if (how === 'many') await inBulk(rows, updates);
  else await spread(updates, CONCURRENCY, (one) => findAndUpdate(rows, one));
  return performance.now() - began;
}

async function findAndUpdate(rows: Collection<Row>, { filter, update }: Update): Promise<void> {
  const doc = await rows.findOne<ActorDoc>({ _id: filter._id });
  const { matchedCount } = await rows.updateOne({ _id: filter._id, rev: doc?.rev }, update);
  if (matchedCount !== 1) throw new Error(`${filter._id} was not there`);
}

async function inBulk(rows: Collection<Row>, updates: readonly Update[]): Promise<void> {
  const starts = Array.from({ length: Math.ceil(updates.length / BULK) }, (_, bulk) => bulk * BULK);
  await spread(starts, BULKS_AT_ONCE, async (start) => {
    const writes = updates.slice(start, start + BULK).map((updateOne) => ({ updateOne }));
    const { matchedCount } = await rows.bulkWrite(writes, { ordered: false });
    if (matchedCount !== writes.length) throw new Error(`${matchedCount} of ${writes.length} updates were made`);
  });
}

function updateOf(commit: Commit): Update {
  const { id: _id, seenRev: rev, op, effects, relayAt } = commit;
  const push = { recentOps: { $each: [op], $slice: -RECENT_OPS }, outbox: { $each: effects } };
  return { filter: { _id, rev }, update: { $set: { ...fieldsOf(commit), relayAt }, $push: push } };
}

serve(open);
