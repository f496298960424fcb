import { setTimeout as delay } from 'node:timers/promises';
import { EVERY_PARTITION } from '../../../src/store/documents.ts';
import { type BareCollections, bareCollections, journalOf, movedBy, paymentOfCycle } from './bare-cycle.ts';
import { answerOrders, type Opener } from './orders.ts';

/**
 * How many cycles could be opened if opening one were writing it, in a process of its own: what the baseline of `claim` leaves
 * behind, 250 at a time by four who take a quarter of the partitions each, as a service's jobs do. Each `find` of what is due is
 * followed by one `updateMany`, then side by side one `insertMany` of the payments and one of the journal rows, all durable.
 * No machine, no outbox, no allowance checked; a process that dies in between loses payments.
 *
 * Arguments: URI, database. Each message, a `ClaimOrder`, is answered with a `ClaimAnswer`.
 */
const WORKERS = 4;
const AT_ONCE = 250;
const CHECK_MS = 20;

async function open([uri = '', dbName = '']: readonly string[]): Promise<Opener> {
  const collections = await bareCollections(uri, dbName);
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

async function openDue({ subscriptions, payments, journal }: BareCollections, partitions: number[]): Promise<number> {
  const now = new Date();
  const isDue = { partition: { $in: partitions }, wakeAt: { $lte: now, $type: 'date' }, quarantine: null };
  const due = await subscriptions
    .find(isDue, { sort: { wakeAt: 1 }, limit: AT_ONCE, batchSize: AT_ONCE + 1 })
    .toArray();
  const [first] = due;
  if (first === undefined) return 0;
  const _id = { $in: due.map((doc) => doc._id) };
  // All stand at the same cycle and revision: they were made for this race.
  const moved = await subscriptions.updateMany({ _id, rev: first['rev'] }, movedBy(first, now));
  if (moved.matchedCount !== due.length) throw new Error(`${due.length} were due and ${moved.matchedCount} have moved`);
  const made = due.map((doc) => paymentOfCycle(doc, now));
  const rows = [...due, ...made].map((doc) => journalOf(doc, now));
  await Promise.all([payments.insertMany(made, { ordered: false }), journal.insertMany(rows, { ordered: false })]);
  return due.length;
}

answerOrders(open(process.argv.slice(2)));
