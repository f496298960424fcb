import { setTimeout as delay } from 'node:timers/promises';
import { EVERY_PARTITION } from '../../../src/store/documents.ts';
import { type BareCollections, bareCollections, movedBy, paymentOfCycle } from './bare-cycle.ts';
import { type Opener, serveOpener } from './opener.ts';

/**
 * The upper limit of `claim`, in its own process: the baseline's documents in bulk, 250 at a time, by four loops that
 * take a quarter of the partitions each, as a service's jobs do. After each `find` of due documents comes one
 * `updateMany`, then one `insertMany` of the payments, both with their journal rows and durable. It has no machine, no
 * outbox and no check of allowances; if the process dies in between, payments are lost.
 */
const WORKERS = 4;
const AT_ONCE = 250;
const CHECK_MS = 20;

async function open(uri: string, dbName: string): Promise<Opener> {
  const collections = await bareCollections(uri, dbName);
  await collections.subscriptions.createIndex({ partition: 1, wakeAt: 1 });
  const troubles: string[] = [];
  const start = async () => {
    const stopping = new AbortController();
    const workers = Array.from({ length: WORKERS }, (_, worker) =>
      work(collections, worker, stopping.signal).catch((error: unknown) => void troubles.push(String(error))),
    );
    return async () => {
      stopping.abort();
      await Promise.all(workers);
    };
  };
  return { start, troubles };
}

async function work(collections: BareCollections, worker: number, stopping: AbortSignal): Promise<void> {
  const partitions = EVERY_PARTITION.filter((partition) => partition % WORKERS === worker);
  while (!stopping.aborted) if ((await openDue(collections, partitions)) === 0) await delay(CHECK_MS);
}

async function openDue({ subscriptions, payments }: BareCollections, partitions: number[]): Promise<number> {
  const now = new Date();
  const isDue = { partition: { $in: partitions }, wakeAt: { $lte: now, $type: 'date' }, quarantine: null };
  const due = await subscriptions
    .find(isDue, { sort: { wakeAt: 1 }, limit: AT_ONCE, batchSize: AT_ONCE + 1 })
    .toArray();
  const [first] = due;
  if (first === undefined) return 0;
  const _id = { $in: due.map((doc) => doc._id) };
  // All subscriptions were made for this race, with equal cycle and revision.
  const moved = await subscriptions.updateMany({ _id, rev: first['rev'] }, movedBy(first, now));
  if (moved.matchedCount !== due.length) throw new Error(`${due.length} were due and ${moved.matchedCount} have moved`);
  await payments.insertMany(
    due.map((doc) => paymentOfCycle(doc, now)),
    { ordered: false },
  );
  return due.length;
}

serveOpener(open);
