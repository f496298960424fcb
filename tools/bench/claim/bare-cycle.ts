import { type Collection, type Document, MongoClient } from 'mongodb';
import { MACHINES } from '../../../machines/versions.ts';
import type { PaymentAttributes } from '../../../src/model/payment.ts';
import { newId } from '../../../src/store/ids.ts';
import { paymentOf } from '../documents.ts';

/** The documents of an opened cycle, written by the driver alone, for a baseline without machine and outbox. */
export type Row = Document & { readonly _id: string };

export interface BareCollections {
  readonly client: MongoClient;
  readonly subscriptions: Collection<Row>;
  readonly payments: Collection<Row>;
}

/** The service's collections with its indexes, durable (`w: 1` with journal), with up to 64 connections. */
export async function bareCollections(uri: string, dbName: string): Promise<BareCollections> {
  const client = await MongoClient.connect(uri, { maxPoolSize: 64, retryWrites: false });
  const db = client.db(dbName, { writeConcern: { w: 1, journal: true } });
  const rows = (name: string) => db.collection<Row>(name);
  return { client, subscriptions: rows('subscriptions'), payments: rows('payments') };
}

/** The update that moves a subscription to its next cycle, and journals it. */
export function movedBy(subscription: Row, now: Date): Document {
  const set = { wakeAt: null, updatedAt: now, value: { active: 'charging' } };
  return {
    $set: { ...set, 'context.lastCycle': dueCycle(subscription) },
    $inc: { rev: 1 },
    $push: { journal: journalRow(subscription, now) },
  };
}

/** The payment of the due cycle, with its journal. */
export function paymentOfCycle(subscription: Row, now: Date): Row {
  const cycle = dueCycle(subscription);
  const { merchantId, mode, attributes } = subscription;
  const payment = paymentOf({ merchantId, mode }, now);
  const own: Partial<PaymentAttributes> = {
    source: 'subscription',
    customerId: attributes.customerId,
    subscriptionId: subscription._id,
    cycle,
    offerId: attributes.offerId,
    idempotencyKey: `cycle:${subscription._id}:${cycle}`,
  };
  return {
    ...payment,
    _id: newId('pay', now),
    attributes: { ...payment.attributes, ...own },
    status: 'created',
    journal: [journalRow(payment, now)],
  };
}

/** A journal row of the product's size. */
function journalRow({ rev }: Document, now: Date): Document {
  const at = now.toISOString();
  const event = { type: 'cycle.due', now: at, asked: false, charge: { ready: true } };
  const effect = { type: 'charge.open', cycle: 2, attempt: 1, periodStart: at, periodEnd: at, amount: '10000000' };
  return {
    rev: rev + 1,
    at,
    event,
    by: 'bench',
    sender: null,
    from: { active: 'waiting' },
    to: { active: 'charging' },
    effects: [effect],
    machineVersion: MACHINES.subscription.current.version,
    hash: 'ab'.repeat(32),
    op: newId('op', now),
  };
}

function dueCycle({ context }: Row): number {
  return context.lastCycle + 1;
}
