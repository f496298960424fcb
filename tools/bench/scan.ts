import type { MongoClient } from 'mongodb';
import { z } from 'zod';
import { MACHINES } from '../../machines/versions.ts';
import { Scanner } from '../../src/engine/scanner.ts';
import { EVERY_PARTITION } from '../../src/store/documents.ts';
import type { Store } from '../../src/store/port.ts';
import { hold } from './contest.ts';
import { numberOf } from './documents.ts';
import { counted, type Row } from './row.ts';
import { FEW, MANY, withSubscriptions } from './subscriptions.ts';
import type { World } from './world.ts';

const DUE = 100;
const SCANS = { quick: 10, full: 50 } as const;

const AT_MOST = { cost: 3, examined: 1.05 } as const;

/**
 * The cost of one tick's search: the engine's own scanner reads all partitions and loads the 100 due documents. The
 * product is both sides, once with many subscriptions and once with few.
 */
export async function dueScan(world: World): Promise<Row[]> {
  const count = MANY[world.size];
  const few = scansOf(await withSubscriptions(world, 'few', { count: FEW, due: DUE }));
  const many = scansOf(await withSubscriptions(world, 'many', { count, due: DUE }));
  const scans = SCANS[world.size];
  const cost = await hold(world, {
    name: `finding ${DUE} due of ${numberOf(count)} to ${DUE} of ${numberOf(FEW)}`,
    unit: 'µs',
    product: () => microseconds(many, scans),
    baseline: () => microseconds(few, scans),
    target: { atMost: AT_MOST.cost },
    rounds: world.size === 'full' ? 9 : 5,
    turns: 2,
  });
  const { documents, keys } = await examinedBy(world.mongo, many);
  const perFound = `examined per one found, of ${numberOf(count)}`;
  return [
    cost,
    counted(`documents ${perFound}`, 'documents', documents / DUE, { atMost: AT_MOST.examined }),
    counted(`index keys ${perFound}`, 'keys', keys / DUE),
  ];
}

/** One scan of all partitions. Throws if it does not find exactly the due documents. */
function scansOf(store: Store): () => Promise<void> {
  const scanner = new Scanner({ store, clock: () => new Date(), machines: MACHINES });
  return async () => {
    const { length } = await scanner.due('subscription', EVERY_PARTITION);
    if (length !== DUE) throw new Error(`${length} subscriptions were found due; expected ${DUE}`);
  };
}

async function microseconds(scanAll: () => Promise<void>, times: number): Promise<number> {
  const began = performance.now();
  for (let done = 0; done < times; done += 1) await scanAll();
  return ((performance.now() - began) / times) * 1_000;
}

const status = z.object({
  metrics: z.object({ queryExecutor: z.object({ scanned: z.coerce.number(), scannedObjects: z.coerce.number() }) }),
});

/**
 * The documents and keys that the server examines for `queries`, by its own counters. They sum what `explain` shows for
 * each query, so the real queries are counted. The server must have no other work meanwhile.
 */
async function examinedBy(mongo: MongoClient, queries: () => Promise<void>) {
  const counters = async () => {
    const { metrics } = status.parse(await mongo.db('admin').command({ serverStatus: 1 }));
    return metrics.queryExecutor;
  };
  const before = await counters();
  await queries();
  const after = await counters();
  return { documents: after.scannedObjects - before.scannedObjects, keys: after.scanned - before.scanned };
}
