import { type Collection, type Document, MongoClient } from 'mongodb';
import { headOf } from '../../../src/store/actors/heads.ts';
import { rowOf } from '../../../src/store/actors/rows.ts';
import { newId } from '../../../src/store/ids.ts';
import { serve } from '../../lib/child.ts';
import { spread } from '../../lib/spread.ts';
import { actors, CONCURRENCY, commitOf, type TransitionOrder } from './write.ts';

/**
 * The baseline of `transition`, in its own process: the raw driver on collections with the service's indexes and
 * documents. One by one: `findOne({_id})` of the head and `insertOne` of the row, by 32 callers. Many: `insertMany` of
 * those rows, unordered, 500 at a time, two under way at once, without reads. The rows are byte for byte the product's
 * for the same documents; they are computed before the clock starts. It has no machine and no checks.
 *
 * Options: 32 connections, no retries, `w: 1` with journal, which are the service's on the embedded engine.
 *
 * Arguments: URI, database.
 */
async function open([uri = '', dbName = '']: readonly string[]) {
  const client = await MongoClient.connect(uri, { maxPoolSize: 32, retryWrites: false });
  const db = client.db(dbName, { writeConcern: { w: 1, journal: true } });
  const collections = { heads: db.collection<Row>('subscriptions'), log: db.collection<Row>('log') };
  return { transition: (order: TransitionOrder) => transition(collections, order) };
}

const BULK = 500;
const BULKS_AT_ONCE = 2;

type Row = Document & { readonly _id: string };

interface BareCollections {
  readonly heads: Collection<Row>;
  readonly log: Collection<Row>;
}

/** The milliseconds until the last event was stored. */
async function transition({ heads, log }: BareCollections, { how, actors: count }: TransitionOrder): Promise<number> {
  const docs = actors(count);
  const rows = docs.map((doc) => rowOf(commitOf(doc), newId('op', doc.createdAt)));
  await heads.insertMany(docs.map(headOf));
  const began = performance.now();
  if (how === 'many') await inBulk(log, rows);
  else {
    await spread(rows, CONCURRENCY, async (row) => {
      await heads.findOne({ _id: actorOf(row) });
      await log.insertOne(row);
    });
  }
  return performance.now() - began;
}

function actorOf({ _id }: Row): string {
  return _id.slice(0, _id.lastIndexOf(':'));
}

async function inBulk(log: Collection<Row>, rows: readonly Row[]): Promise<void> {
  const starts = Array.from({ length: Math.ceil(rows.length / BULK) }, (_, bulk) => bulk * BULK);
  await spread(starts, BULKS_AT_ONCE, async (start) => {
    await log.insertMany(rows.slice(start, start + BULK), { ordered: false });
  });
}

serve(open);
