import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { PARTITIONS, type StoredActor } from '../../../src/store/documents.ts';
import { type PaymentOrder, paymentDue, subscriptionDue } from './due.ts';
import type { Shop } from './shop.ts';

/** The due work: requested one-off payments, or cycles of subscriptions. */
export type Kind = 'payments' | 'cycles';

const COLLECTION: Readonly<Record<Kind, string>> = { payments: 'payments', cycles: 'subscriptions' };

const FIRST_POLL_MS = 5;
/**
 * The pause between polls is a hundredth of the elapsed time, within these bounds, because polls take database time
 * from charges.
 */
const POLL_MS = { least: 20, most: 100 } as const;
const POLL_SHARE = 100;
const QUIET_POLL_MS = 100;
const QUIET_MS = 300_000;
const CHUNK = 1_000;
/** The distance of the due moment: long enough to write it to all documents, and longer than their insertion took. */
const AHEAD_MS = { least: 500, each: 0.2 } as const;
const TIMES_INSERTED = 3;
const PATIENCE_MS = { least: 60_000, each: 60 } as const;

/**
 * Makes charges fall due at one moment. Resolves with the milliseconds from the service's first stored charge to their
 * last event. The wait before that is left out, because the interval of the search for due charges is a setting.
 */
export async function drain(shop: Shop, kind: Kind, count: number): Promise<number> {
  const db = shop.world.mongo.db(shop.db);
  const written = { charges: db.collection('charges'), events: db.collection('events') };
  const before = {
    charges: await written.charges.estimatedDocumentCount(),
    events: await written.events.estimatedDocumentCount(),
  };
  await insertDue(shop, kind, count);
  while ((await written.charges.estimatedDocumentCount()) === before.charges) await delay(FIRST_POLL_MS);
  const began = performance.now();
  const patienceMs = PATIENCE_MS.least + PATIENCE_MS.each * count;
  for (;;) {
    const done = (await written.events.estimatedDocumentCount()) - before.events;
    const ms = performance.now() - began;
    if (done >= count) return ms;
    if (ms > patienceMs) {
      throw new Error(`only ${done} of ${count} ${kind} were charged in ${ms} ms; ${await standOf(db)}`);
    }
    await delay(Math.min(POLL_MS.most, Math.max(POLL_MS.least, ms / POLL_SHARE)));
  }
}

/** The numbers of charges and transactions by state, for errors. */
export async function standOf(db: Db): Promise<string> {
  const byState = [{ $group: { _id: '$state', count: { $sum: 1 } } }, { $sort: { _id: 1 } }];
  const states = await Promise.all(
    ['charges', 'transactions'].map(async (name) => {
      const states = await db.collection(name).aggregate<{ _id: string; count: number }>(byState).toArray();
      return `${name}: ${states.map(({ _id, count }) => `${count} ${_id}`).join(', ') || 'none'}`;
    }),
  );
  return states.join('; ');
}

/** Inserts the documents with a far due date first, so that all exist when the moment comes. */
export async function insertDue(shop: Shop, kind: Kind, count: number): Promise<void> {
  const rows = shop.world.mongo.db(shop.db).collection<{ _id: string }>(COLLECTION[kind]);
  const make = kind === 'payments' ? paymentDue : subscriptionDue;
  const receiver = shop.receiver();
  const fast = { ordered: false, writeConcern: { w: 1, journal: false } } as const;
  const began = Date.now();
  for (let at = 0; at < count; at += CHUNK) {
    const size = Math.min(CHUNK, count - at);
    const docs = Array.from({ length: size }, (_, index) => aside(make(orderOf(shop, at + index, receiver))));
    await rows.insertMany(docs, fast);
  }
  const inserted = Date.now();
  const moment = inserted + AHEAD_MS.least + AHEAD_MS.each * count + TIMES_INSERTED * (inserted - began);
  const field = kind === 'payments' ? 'relayAt' : 'wakeAt';
  const back = { partition: { $subtract: ['$partition', PARTITIONS] }, [field]: new Date(moment) };
  await rows.updateMany({ partition: { $gte: PARTITIONS } }, [{ $set: back }], fast);
  if (Date.now() > moment) throw new Error(`${count} documents were not there by the moment at which they fall due`);
}

function aside(doc: StoredActor): StoredActor {
  return { ...doc, partition: doc.partition + PARTITIONS };
}

/** The order number `index`: payers take turns. */
export function orderOf(
  { merchants, payers, token, feeBps, signed }: Shop,
  index: number,
  receiver: string,
): PaymentOrder {
  const turn = index % payers.length;
  const tenant = merchants[turn % merchants.length];
  const payer = payers[turn];
  if (!tenant || payer === undefined) throw new Error('the shop has no merchant or no payer');
  return { tenant, token, payer, receiver, feeBps, signed: signed?.(turn) ?? null };
}

/**
 * Resolves when no work is left: every outbox is empty, and every block is finalized, or only `final` where finality
 * takes too long and the service checks rarely. Throws after five minutes, or when `signal` aborts.
 */
export async function untilQuiet(
  shop: Shop,
  end: 'final' | 'finalized' = 'finalized',
  signal: AbortSignal | null = null,
): Promise<void> {
  const db = shop.world.mongo.db(shop.db);
  const open = { state: { $in: ['signed', 'mined', ...(end === 'final' ? [] : ['final'])] } };
  const unrelayed = { relayAt: { $type: 'date' } } as const;
  const deadline = performance.now() + QUIET_MS;
  while (performance.now() < deadline) {
    signal?.throwIfAborted();
    const left = [
      await db.collection('transactions').findOne(open, { projection: { _id: 1 } }),
      await db.collection('payments').findOne(unrelayed, { projection: { _id: 1 } }),
      await db.collection('subscriptions').findOne(unrelayed, { projection: { _id: 1 } }),
    ];
    if (left.every((doc) => doc === null)) return;
    await delay(QUIET_POLL_MS);
  }
  throw new Error(`work is left after ${QUIET_MS} ms; ${await standOf(db)}`);
}
