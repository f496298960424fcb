import { MongoBackend } from '@agendajs/mongo-backend';
import { Agenda, type Job } from 'agenda';
import { z } from 'zod';
import { bareCollections, movedBy, paymentOfCycle } from './bare-cycle.ts';
import { type Opener, serveOpener } from './opener.ts';

/**
 * The baseline of `claim`, in its own process: Agenda with one job per subscription. The handler leaves the same data
 * as the product: `findOne` of the subscription, `updateOne({_id, rev})` to the next period, then `insertOne` of the
 * payment, both with their journal rows and durable (`w: 1` with journal), on collections with the service's indexes.
 * It has no machine and no outbox: if the process dies in between, the payment is lost.
 *
 * Agenda's options, chosen for speed: it checks every 20 ms (so that several checks lock jobs side by side), runs 64
 * jobs at once, has no limit of locked jobs, its own index, and its own documents without journal; the driver has 64
 * connections.
 */
const PROCESS_EVERY_MS = 20;
const AT_ONCE = 64;

const data = z.object({ subscriptionId: z.string() });

async function open(uri: string, dbName: string): Promise<Opener> {
  const { client, subscriptions, payments } = await bareCollections(uri, dbName);
  const troubles: string[] = [];
  const handler = async (job: Job): Promise<void> => {
    const { subscriptionId } = data.parse(job.attrs.data);
    const doc = await subscriptions.findOne({ _id: subscriptionId });
    if (doc === null) throw new Error(`${subscriptionId} is not there`);
    const now = new Date();
    const moved = await subscriptions.updateOne({ _id: doc._id, rev: doc['rev'] }, movedBy(doc, now));
    if (moved.matchedCount !== 1) return;
    await payments.insertOne(paymentOfCycle(doc, now));
  };
  const start = async () => {
    const agenda = new Agenda({
      backend: new MongoBackend({ mongo: client.db(dbName), collection: 'perSubscription' }),
      processEvery: PROCESS_EVERY_MS,
      defaultConcurrency: AT_ONCE,
      maxConcurrency: AT_ONCE,
    });
    agenda.on('fail', (error: unknown) => void troubles.push(String(error)));
    agenda.define('cycle', handler, { concurrency: AT_ONCE });
    await agenda.start();
    return () => agenda.stop();
  };
  return { start, troubles };
}

serveOpener(open);
