import { newPayment } from '../../machines/payment/context.ts';
import { newSubscription } from '../../machines/subscription/context.ts';
import { MACHINES } from '../../machines/versions.ts';
import type { PaymentAttributes } from '../../src/model/payment.ts';
import type { SubscriptionAttributes } from '../../src/model/subscription.ts';
import type { CustomerDoc, EventDoc } from '../../src/store/collections.ts';
import type { ActorDoc, Envelope, OutboxDoc, Tenant, TimerDoc } from '../../src/store/documents.ts';
import { newId, partitionOf } from '../../src/store/ids.ts';
import { newEvent } from '../../src/webhooks/deliveries.ts';
import type { World } from './world.ts';

/** Documents as the service leaves them when all work is done, made in bulk. */

/** A payer's wallet, and one that is paid. */
export const PAYER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
export const RECEIVER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const HASH = `0x${'ab'.repeat(32)}`;
/** A token as merchants request it. */
const TOKEN = { tokenKey: 'usdc-base', chainId: 8453 } as const;

function customerOf(tenant: Tenant, at: Date): CustomerDoc {
  return {
    ...envelope(newId('cust', at), tenant, at),
    wallets: [],
    walletKeys: [],
    merchantReferenceId: null,
    email: 'payer@example.com',
    phone: null,
    name: 'A Payer',
    nameKey: 'a payer',
    emailKey: 'payer@example.com',
    referenceKey: null,
    idempotencyKey: null,
    requestHash: null,
    deletedAt: null,
  };
}

/** A customer as POST /customers stores it, with its event in the outbox, which nobody takes up before its time. */
export function newCustomer(tenant: Tenant, createdAt: Date, relayAfterMs: number) {
  const doc = customerOf(tenant, createdAt);
  const { _id: documentId, merchantId, mode, recentOps } = doc;
  const effect = { type: 'webhook.emit', event: 'customer.created', data: { customerId: documentId, wallets: [] } };
  const effects = [{ id: `${documentId}:1:0`, rev: 1, index: 0, at: createdAt, sequence: 1, effect }];
  const [_id = ''] = recentOps;
  const entries = [{ documentId, merchantId, mode, rev: 1, effects }];
  const at = new Date(createdAt.getTime() + relayAfterMs);
  const about = { source: 'customers', version: 0, entries, failures: {} } as const;
  const outbox: OutboxDoc = { _id, ...about, oldestAt: createdAt, createdAt, at };
  return { doc: { ...doc, outboxId: _id }, outbox };
}

/** A payment by POST /payments. */
export function paymentOf(tenant: Tenant, at: Date): ActorDoc {
  const id = newId('pay', at);
  const key = `order-${id}`;
  const attributes: PaymentAttributes = {
    source: 'one_time',
    customerId: null,
    subscriptionId: null,
    cycle: null,
    offerId: null,
    priceId: null,
    ...TOKEN,
    platformAmount: '100000',
    merchantAmount: '9900000',
    feeBps: 100,
    splits: [],
    destination: null,
    paymentMethod: 'wallet_connect',
    affiliatePartnerId: null,
    affiliateCommissionPct: null,
    metadata: {},
    refundWallet: null,
    idempotencyKey: key,
    requestHash: HASH,
  };
  const made = { id, cycleOf: null, amount: '10000000', fromWallet: PAYER, toWallet: RECEIVER, forcedFailure: null };
  const hashes = { pullTxHash: HASH, forwardTxHash: HASH, platformTransferTxHash: HASH, distributeTxHash: null };
  const ended = { hashes, block: { number: 1_000_000, hash: HASH }, landedAttempt: 1 };
  return {
    ...actor('payment', tenant, at, id),
    attributes: { ...attributes },
    value: 'settled',
    context: { ...newPayment(made), attempt: 1, ...ended },
    status: 'settled',
  };
}

export function subscriptionOf(tenant: Tenant, at: Date): ActorDoc {
  const id = newId('sub', at);
  const attributes: SubscriptionAttributes = {
    customerId: newId('cust', at),
    offerId: 'offer_01hm0000000000000000000001',
    offerName: 'Pro',
    afterCompletion: {},
    splits: [],
    affiliatePartnerId: null,
    affiliateCommissionPct: null,
    idempotencyKey: null,
    requestHash: HASH,
  };
  const terms = {
    priceId: 'price_01hm0000000000000000000001',
    priceAmount: '9.90',
    priceCurrency: 'USD',
    ...TOKEN,
    amount: '9900000',
    interval: { unit: 'month', count: 1 } as const,
    maxCycles: null,
    maxFailedCycles: null,
    destination: null,
  };
  const { offerId } = attributes;
  const made = newSubscription({ id, offerId, terms, payerWallet: PAYER, trialEnd: null, customVariables: {} });
  const iso = at.toISOString();
  return {
    ...actor('subscription', tenant, at, id),
    attributes: { ...attributes },
    value: 'active',
    context: { ...made, authorizedAt: iso, allowanceConfirmed: true, anchor: iso, currentPeriodEnd: iso, lastCycle: 1 },
    status: 'active',
  };
}

/** An event with its delivery, as the service leaves it after its arrival. */
export function eventOf({ merchantId, mode }: Tenant, createdAt: Date): EventDoc {
  const resourceId = newId('cust', createdAt);
  const data = { customerId: resourceId, wallets: [] };
  const event = 'customer.created';
  const facts = { _id: newId('evt', createdAt), merchantId, mode, resourceId, sequence: 1, event, createdAt, data };
  const startedAt = createdAt.toISOString();
  const attempts = [{ attempt: 1, startedAt, durationMs: 9, status: 200, error: null, body: '' }];
  return newEvent(facts, { status: 'delivered', attempt: 1, attempts, looks: 0, wakeAt: null }, createdAt);
}

function actor<K extends ActorDoc['kind']>(kind: K, tenant: Tenant, at: Date, id: string) {
  const { recentOps: _recentOps, ...common } = envelope(id, tenant, at);
  const still = { wakeAt: null, wakeRev: 1, clockOffsetMs: 0, quarantine: null };
  return { ...common, kind, machineVersion: MACHINES[kind].current.version, ...still };
}

function envelope(id: string, { merchantId, mode }: Tenant, at: Date): Envelope {
  return {
    _id: id,
    merchantId,
    mode,
    rev: 1,
    recentOps: [newId('op', at)],
    eventSeq: 1,
    outboxId: null,
    partition: partitionOf(id),
    createdAt: at,
    updatedAt: at,
  };
}

const BATCH = 5_000;
/** Documents have creation times in the past, a millisecond apart. */
const SPACING_MS = 1;

/** Where `insertMany` inserts, and what it shows and obeys meanwhile. */
export type Inserting = Pick<World, 'mongo' | 'progress' | 'signal'>;

interface Target<T> {
  readonly db: string;
  readonly collection: string;
  /** The timer of a document's wake. */
  readonly timerOf?: (doc: T, at: Date) => TimerDoc | null;
}

/** Inserts `count` documents; the first has the index 1. Throws the signal's reason on abort. */
export async function insertMany<T extends { readonly _id: string }>(
  { mongo, progress, signal }: Inserting,
  { db, collection, timerOf = () => null }: Target<T>,
  count: number,
  make: (at: Date, index: number) => T,
): Promise<void> {
  const rows = mongo.db(db).collection<{ _id: string }>(collection);
  const began = Date.now() - count * SPACING_MS;
  for (let done = 0; done < count; done += BATCH) {
    const size = Math.min(BATCH, count - done);
    const docs = Array.from({ length: size }, (_, i) => make(new Date(began + (done + i) * SPACING_MS), done + i + 1));
    await rows.insertMany(docs, FAST);
    const timers = docs.flatMap((doc) => timerOf(doc, new Date()) ?? []);
    if (timers.length > 0) await mongo.db(db).collection<TimerDoc>('timers').insertMany(timers, FAST);
    signal.throwIfAborted();
    progress.step(`${db}: ${numberOf(done + size)} of ${numberOf(count)} ${collection} inserted`);
  }
}

/** For documents of a scene, which need not survive a crash. */
export const FAST = { ordered: false, writeConcern: { w: 1, journal: false } } as const;

export function numberOf(value: number): string {
  return value.toLocaleString('en');
}
