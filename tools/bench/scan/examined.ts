import type { MongoClient } from 'mongodb';
import { z } from 'zod';

/** The documents and keys that the server examined. */
export interface Examined {
  readonly documents: number;
  readonly keys: number;
}

const status = z.object({
  metrics: z.object({ queryExecutor: z.object({ scanned: z.coerce.number(), scannedObjects: z.coerce.number() }) }),
});

/**
 * The documents and keys that the server examines for `queries`, by its own counters. They sum what `explain` shows for
 * each query, so the real queries are counted. The server must have no other work meanwhile.
 */
export async function examinedBy(mongo: MongoClient, queries: () => Promise<void>): Promise<Examined> {
  const before = await counters(mongo);
  await queries();
  const after = await counters(mongo);
  return { documents: after.documents - before.documents, keys: after.keys - before.keys };
}

async function counters(mongo: MongoClient): Promise<Examined> {
  const answer = status.parse(await mongo.db('admin').command({ serverStatus: 1 }));
  const { scanned, scannedObjects } = answer.metrics.queryExecutor;
  return { documents: scannedObjects, keys: scanned };
}
