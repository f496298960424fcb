import type { MongoClient } from 'mongodb';
import { deliveryInTurn } from '../../../machines/delivery/context.ts';
import { newPayment } from '../../../machines/payment/context.ts';
import { newSubscription } from '../../../machines/subscription/context.ts';
import { MACHINES } from '../../../machines/versions.ts';
import type { PaymentAttributes } from '../../../src/model/payment.ts';
import type { SubscriptionAttributes } from '../../../src/model/subscription.ts';
import type { CustomerDoc, EventDoc } from '../../../src/store/collections.ts';
import type { ActorDoc, Envelope, StoredActor, Tenant } from '../../../src/store/documents.ts';
import { newId, partitionOf } from '../../../src/store/ids.ts';
import { deliveryIdOf } from '../../../src/webhooks/deliveries.ts';

/** Documents as the service leaves them when all work is done, made in bulk. */

const FROM = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const TO = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const HASH = `0x${'ab'.repeat(32)}`;
const TOKEN = { tokenKey: 'usdc-base', chainId: 8453 } as const;

export function customerOf(tenant: Tenant, at: Date): CustomerDoc {
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

/** A payment by POST /payments. */
export function paymentOf(tenant: Tenant, at: Date, status: 'settled' | 'failed' = 'settled'): StoredActor {
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
    apiKeyOf: key,
    requestHash: HASH,
  };
  const made = { id, cycleOf: null, amount: '10000000', fromWallet: FROM, toWallet: TO, forcedFailure: null };
  const hashes = { pullTxHash: HASH, forwardTxHash: HASH, platformTransferTxHash: HASH, distributeTxHash: null };
  const ended =
    status === 'failed'
      ? { failureReason: 'insufficient_balance' as const }
      : { hashes, block: { number: 1_000_000, hash: HASH }, landedAttempt: 1 };
  return {
    ...actor('payment', tenant, at, id),
    journal: [],
    attributes: { ...attributes },
    value: status,
    context: { ...newPayment(made), attempt: 1, ...ended },
    status,
  };
}

/** A monthly subscription. */
export function subscriptionOf(tenant: Tenant, at: Date, status: 'active' | 'canceled' = 'active'): StoredActor {
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
  const made = newSubscription({ id, offerId, terms, payerWallet: FROM, trialEnd: null, customVariables: {} });
  const iso = at.toISOString();
  return {
    ...actor('subscription', tenant, at, id),
    journal: [],
    attributes: { ...attributes },
    value: status,
    context: { ...made, authorizedAt: iso, allowanceConfirmed: true, anchor: iso, currentPeriodEnd: iso, lastCycle: 1 },
    status,
  };
}

/** A delivery of this event, as the service leaves it after its arrival. */
export function deliveryOf({ _id: eventId, event, resourceId, sequence, createdAt, ...tenant }: EventDoc): ActorDoc {
  const id = deliveryIdOf(resourceId, sequence);
  const made = deliveryInTurn({ id, eventId, resourceId, sequence });
  const startedAt = createdAt.toISOString();
  return {
    ...actor('delivery', tenant, createdAt, id),
    attributes: { eventId, resourceId, sequence, event },
    value: 'delivered',
    context: { ...made, attempts: [{ attempt: 1, startedAt, durationMs: 9, status: 200, error: null, body: '' }] },
    status: 'delivered',
    rev: 2,
    recentOps: [newId('op', createdAt), newId('op', createdAt)],
    eventSeq: 0,
  };
}

function actor<K extends StoredActor['kind']>(kind: K, tenant: Tenant, at: Date, id: string) {
  const still = { wakeAt: null, clockOffsetMs: 0, quarantine: null };
  return { ...envelope(id, tenant, at), kind, machineVersion: MACHINES[kind].current.version, ...still };
}

function envelope(id: string, { merchantId, mode }: Tenant, at: Date): Envelope {
  return {
    _id: id,
    merchantId,
    mode,
    rev: 1,
    recentOps: [newId('op', at)],
    eventSeq: 1,
    outbox: [],
    relayAt: null,
    relayFailures: 0,
    partition: partitionOf(id),
    createdAt: at,
    updatedAt: at,
  };
}

const BATCH = 5_000;
/** Documents have creation times in the past, a millisecond apart. */
const SPACING_MS = 1;

/** Inserts `count` documents, and calls `step` with their number so far. */
export async function insertMany<T extends { readonly _id: string }>(
  mongo: MongoClient,
  into: { readonly db: string; readonly collection: string },
  count: number,
  make: (at: Date, index: number) => T,
  step: (done: number) => void = () => undefined,
): Promise<void> {
  const rows = mongo.db(into.db).collection<{ _id: string }>(into.collection);
  const began = Date.now() - count * SPACING_MS;
  for (let done = 0; done < count; done += BATCH) {
    const size = Math.min(BATCH, count - done);
    const docs = Array.from({ length: size }, (_, i) => make(new Date(began + (done + i) * SPACING_MS), done + i + 1));
    await rows.insertMany(docs, { ordered: false, writeConcern: { w: 1, journal: false } });
    step(done + size);
  }
}
