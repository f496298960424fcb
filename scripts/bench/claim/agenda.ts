import { MongoBackend } from '@agendajs/mongo-backend';
import { Agenda, type Job } from 'agenda';
import { type Document, MongoClient } from 'mongodb';
import { z } from 'zod';
import type { PaymentAttributes } from '../../../src/billing/payments/attributes.ts';
import { newId } from '../../../src/ids.ts';
import { paymentOf } from '../api/documents.ts';
import { type ClaimAnswer, claimOrder } from './messages.ts';

/**
 * The baseline of `claim`, in a process of its own: Agenda with one job per subscription, whose handler leaves behind what the
 * product does: `findOne` of the subscription, `updateOne({_id, rev})` that puts its period one further, then side by side
 * `insertOne` of the payment and one `insertMany` of both journal rows, all durable (`w: 1` with journal), on collections with the
 * service's indexes. No machine, no outbox: a process that dies in between loses the payment.
 *
 * Agenda's options, chosen for speed: looks every 20 ms (so that several looks lock jobs side by side), 64 jobs at once, no
 * limit of locked jobs, its own index, its own documents without journal; the driver with 64 connections.
 *
 * Arguments: URI, database. Each message, a `ClaimOrder`, is answered with a `ClaimAnswer`; jobs run between `work` and `rest`.
 */
const PROCESS_EVERY_MS = 20;
const AT_ONCE = 64;

const data = z.object({ subscriptionId: z.string() });

type Row = Document & { readonly _id: string };

async function open([uri = '', dbName = '']: readonly string[]) {
  const client = await MongoClient.connect(uri, { maxPoolSize: 64, retryWrites: false });
  const db = client.db(dbName, { writeConcern: { w: 1, journal: true } });
  const subscriptions = db.collection<Row>('subscriptions');
  const payments = db.collection<Row>('payments');
  const journal = db.collection<Row>('journal');
  const handler = async (job: Job): Promise<void> => {
    const { subscriptionId } = data.parse(job.attrs.data);
    const doc = await subscriptions.findOne({ _id: subscriptionId });
    if (doc === null) throw new Error(`${subscriptionId} is not there`);
    const now = new Date();
    const cycle = doc['context'].lastCycle + 1;
    const set = { 'context.lastCycle': cycle, wakeAt: null, updatedAt: now, value: { active: 'charging' } };
    const moved = await subscriptions.updateOne({ _id: doc._id, rev: doc['rev'] }, { $set: set, $inc: { rev: 1 } });
    if (moved.matchedCount !== 1) return;
    const payment = cyclePayment(doc, cycle, now);
    await Promise.all([
      payments.insertOne(payment),
      journal.insertMany([journalOf(doc, now), journalOf(payment, now)]),
    ]);
  };
  const start = async (): Promise<Agenda> => {
    const agenda = new Agenda({
      backend: new MongoBackend({ mongo: client.db(dbName), collection: 'perSubscription' }),
      processEvery: PROCESS_EVERY_MS,
      defaultConcurrency: AT_ONCE,
      maxConcurrency: AT_ONCE,
    });
    agenda.on('fail', (error: unknown) => void troubles.push(String(error)));
    agenda.define('cycle', handler, { concurrency: AT_ONCE });
    await agenda.start();
    return agenda;
  };
  return { start };
}

function cyclePayment(subscription: Row, cycle: number, now: Date): Row {
  const { merchantId, mode, attributes } = subscription;
  const payment = paymentOf({ merchantId, mode }, now);
  const own: Partial<PaymentAttributes> = {
    source: 'subscription',
    customerId: attributes.customerId,
    subscriptionId: subscription._id,
    cycle,
    offerId: attributes.offerId,
    idempotencyKey: `cycle:${subscription._id}:${cycle}`,
    apiKeyOf: null,
  };
  return { ...payment, _id: newId('pay', now), attributes: { ...payment.attributes, ...own }, status: 'created' };
}

/** Of the size that the product's have. */
function journalOf({ _id: actorId, rev, kind }: Row, now: Date): Row {
  const at = now.toISOString();
  const event = { type: 'cycle.due', now: at, asked: false, charge: { ready: true } };
  const effect = { type: 'charge.open', cycle: 2, attempt: 1, periodStart: at, periodEnd: at, amount: '10000000' };
  return {
    _id: `${actorId}:${rev + 1}`,
    actorId,
    kind,
    rev: rev + 1,
    at,
    event,
    by: 'agenda',
    sender: null,
    from: { active: 'waiting' },
    to: { active: 'charging' },
    effects: [effect],
    machineVersion: 1,
    hash: 'ab'.repeat(32),
    op: newId('op', now),
  };
}

const troubles: string[] = [];
const opening = open(process.argv.slice(2));
let running: Agenda | null = null;

process.on('message', (message) => {
  void answer(message).then((said) => process.send?.(said));
});

async function answer(message: unknown): Promise<ClaimAnswer> {
  const { type } = claimOrder.parse(message);
  const { start } = await opening;
  if (type === 'work') {
    running = await start();
    return { type: 'working', troubles: [] };
  }
  await running?.stop();
  running = null;
  return { type: 'resting', troubles: troubles.splice(0) };
}

// Whoever asks is gone.
process.once('disconnect', () => process.exit());
