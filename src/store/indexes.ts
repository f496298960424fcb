import type { ActorKind } from './documents.ts';
import type { CollectionName } from './port.ts';

/**
 * One declared index. `where…` keeps documents without the field (or with null) out. An index for a sorted query ends
 * with `_id`, the tie-break of every query; without it, the database sorts all matches to answer the first few.
 */
export interface IndexSpec {
  readonly name: string;
  /** Its paths in order, each with its direction. */
  readonly on: { readonly [path: string]: 1 | -1 };
  readonly unique?: boolean;
  /** Contains only documents in which this path is a string. */
  readonly whereString?: string;
  /** Contains only documents in which this path is a date. */
  readonly whereDate?: string;
  /** Contains only documents in which this path has one of these values. */
  readonly whereEquals?: readonly [path: string, ...values: (string | false)[]];
  /** Contains only documents in which this path is null or absent. */
  readonly whereNull?: string;
  readonly expireAfterSeconds?: number;
}

const waiting: IndexSpec = { name: 'waiting', on: { chainId: 1, state: 1, notBefore: 1, _id: 1 } };
const newest: IndexSpec = { name: 'newest', on: { merchantId: 1, mode: 1, createdAt: -1, _id: -1 } };

function newestBy(path: string): IndexSpec {
  return {
    name: `newestBy_${path.replaceAll('.', '_')}`,
    on: { merchantId: 1, mode: 1, [path]: 1, createdAt: -1, _id: -1 },
  };
}

/** For searches by any key of a free-form map. A document with an empty map is not in the index. */
function byAnyKeyOf(map: string, whereEquals?: IndexSpec['whereEquals']): IndexSpec {
  return {
    name: `byAnyKeyOf_${map.replaceAll('.', '_')}`,
    on: { merchantId: 1, mode: 1, [`${map}.$**`]: 1 },
    ...(whereEquals === undefined ? {} : { whereEquals }),
  };
}

function inTenant(name: string, path: string): IndexSpec {
  return { name, on: { merchantId: 1, mode: 1, [path]: 1 }, whereString: path };
}

function uniqueInTenant(name: string, path: string): IndexSpec {
  return { ...inTenant(name, path), unique: true };
}

/** For searches by staff, who do not know the merchant. */
function anywhereBy(name: string, path: string): IndexSpec {
  return { name, on: { [path]: 1, createdAt: -1, _id: -1 }, whereString: path };
}

/** For searches by staff who know how a text begins: its key is the text in one form (`src/billing/search-keys.ts`). */
function beginning(key: string): IndexSpec {
  return { name: key, on: { [key]: 1, _id: 1 }, whereString: key };
}

/** The same for a merchant, who searches among its own. */
function beginningInTenant(key: string): IndexSpec {
  return { name: `own_${key}`, on: { merchantId: 1, mode: 1, [key]: 1, _id: 1 }, whereString: key };
}

/** Documents with this value, the newest first by the date `by`: usually few. */
function inState(name: string, whereEquals: readonly [path: string, value: string], by: string): IndexSpec {
  return { name, on: { [by]: -1, _id: -1 }, whereEquals };
}

/** Documents in quarantine: few. */
const quarantined: IndexSpec = { name: 'quarantined', on: { 'quarantine.at': 1 }, whereDate: 'quarantine.at' };

export const HEAD_INDEXES: Readonly<Record<ActorKind, readonly IndexSpec[]>> = {
  subscription: [
    quarantined,
    newest,
    newestBy('status'),
    newestBy('attributes.customerId'),
    newestBy('attributes.offerId'),
    anywhereBy('payerAnywhere', 'context.payerWallet'),
    anywhereBy('migratesTo', 'context.migration.wallet'),
    {
      // Has all fields of the sums of a wallet's claims, so that no document is read.
      name: 'claims',
      whereEquals: ['status', 'pending', 'active', 'past_due'],
      on: {
        'context.payerWallet': 1,
        status: 1,
        mode: 1,
        merchantId: 1,
        'context.terms.tokenKey': 1,
        'context.terms.amount': 1,
        'context.allowanceConfirmed': 1,
        'context.risk.short': 1,
        'context.migration.expiresAt': 1,
      },
    },
    {
      // Has all fields of the sum of a merchant's recurring revenue, so that no document is read.
      name: 'recurringByModel',
      whereEquals: ['status', 'active', 'past_due'],
      on: {
        merchantId: 1,
        mode: 1,
        'attributes.offerId': 1,
        'context.terms.tokenKey': 1,
        'context.terms.interval.unit': 1,
        'context.terms.interval.count': 1,
        'context.terms.model.kind': 1,
        'context.terms.amount': 1,
        status: 1,
      },
    },
    inState('pastDue', ['status', 'past_due'], 'context.pastDueSince'),
    // Those that may bring no next payment, for the lists of their merchant.
    { ...newestBy('status'), name: 'ending', whereString: 'context.cancelAt' },
    { ...newestBy('status'), name: 'unapproved', whereEquals: ['context.allowanceConfirmed', false] },
    { ...newestBy('context.risk.short'), whereString: 'context.risk.short' },
    { ...newestBy('context.open.failedFor'), whereString: 'context.open.failedFor' },
    {
      name: 'deferred',
      on: { merchantId: 1, mode: 1, 'context.deferred.why': 1, _id: 1 },
      whereString: 'context.deferred.why',
    },
    {
      name: 'deferredUntil',
      on: { 'context.deferred.why': 1, wakeAt: 1, _id: 1 },
      whereString: 'context.deferred.why',
    },
    inTenant('idempotencyKey', 'attributes.idempotencyKey'),
  ],
  payment: [
    quarantined,
    newest,
    newestBy('status'),
    newestBy('attributes.source'),
    newestBy('attributes.customerId'),
    newestBy('attributes.offerId'),
    newestBy('attributes.subscriptionId'),
    // In the order in which they settled, for the accounts of a month.
    {
      name: 'settledAt',
      whereEquals: ['status', 'settled'],
      on: { merchantId: 1, mode: 1, 'context.settledAt': 1, _id: 1 },
    },
    inTenant('refundedAt', 'context.refunds.settledAt'),
    byAnyKeyOf('attributes.metadata', ['attributes.source', 'one_time']),
    anywhereBy('fromAnywhere', 'context.fromWallet'),
    inTenant('fromWallet', 'context.fromWallet'),
    inTenant('toWallet', 'context.toWallet'),
    {
      name: 'paused',
      on: { merchantId: 1, mode: 1, 'context.pausedFor': 1, _id: 1 },
      whereString: 'context.pausedFor',
    },
    {
      name: 'cycle',
      on: { merchantId: 1, 'attributes.subscriptionId': 1, 'attributes.cycle': 1 },
      whereString: 'attributes.subscriptionId',
    },
  ],
};

export const RECORD_INDEXES: Readonly<Record<CollectionName, readonly IndexSpec[]>> = {
  log: [],
  subscriptions: HEAD_INDEXES.subscription,
  payments: HEAD_INDEXES.payment,
  openPayments: [
    newest,
    newestBy('attributes.subscriptionId'),
    anywhereBy('fromAnywhere', 'context.fromWallet'),
    { name: 'oldest', on: { createdAt: 1, _id: 1 } },
  ],
  timers: [{ name: 'dueInOrder', on: { kind: 1, partition: 1, at: 1, _id: 1 } }],
  outbox: [
    { name: 'due', on: { source: 1, at: 1 } },
    { name: 'oldest', on: { oldestAt: 1 } },
  ],
  events: [
    // A list of all kinds names every kind (`src/billing/events.ts`).
    { name: 'newestInSequence_event', on: { merchantId: 1, mode: 1, event: 1, createdAt: -1, sequence: -1, _id: -1 } },
    {
      name: 'undelivered',
      whereEquals: ['status', 'retrying', 'failed'],
      on: { merchantId: 1, mode: 1, status: 1, createdAt: -1, sequence: -1, _id: -1 },
    },
    { name: 'resource', on: { resourceId: 1, sequence: 1, _id: 1 } },
    { name: 'due', on: { partition: 1, wakeAt: 1, _id: 1 }, whereDate: 'wakeAt', whereNull: 'quarantine' },
    { name: 'unended', on: { updatedAt: -1, _id: -1 }, whereDate: 'wakeAt' },
    quarantined,
    inState('retrying', ['status', 'retrying'], 'updatedAt'),
    inState('failed', ['status', 'failed'], 'updatedAt'),
  ],
  letters: [
    { name: 'due', on: { wakeAt: 1, _id: 1 }, whereDate: 'wakeAt' },
    anywhereBy('customer', 'customerId'),
    anywhereBy('resource', 'resourceId'),
    anywhereBy('payment', 'paymentId'),
    // Thirteen months: long after its event can be told again.
    { name: 'expiry', on: { createdAt: 1 }, expireAfterSeconds: 400 * 86_400 },
  ],
  suppressions: [],
  merchants: [
    beginning('nameKey'),
    { name: 'newest', on: { createdAt: -1, _id: -1 } },
    { name: 'newestBy_status', on: { status: 1, createdAt: -1, _id: -1 } },
    { name: 'summary', on: { 'letters.summaryAt': 1, _id: 1 }, whereDate: 'letters.summaryAt' },
  ],
  apiKeys: [{ name: 'merchant', on: { merchantId: 1 } }],
  staffJournal: [{ name: 'newest', on: { merchantId: 1, at: -1, _id: -1 } }],
  staffTokens: [{ name: 'inForce', on: { inForce: 1 }, unique: true, whereString: 'inForce' }],
  staffSessions: [{ name: 'expiry', on: { expiresAt: 1 }, expireAfterSeconds: 0 }],
  offers: [
    newest,
    byAnyKeyOf('metadata'),
    { name: 'price', on: { merchantId: 1, mode: 1, 'pricing.id': 1 } },
    { name: 'held', on: { createdAt: 1, _id: 1 }, whereString: 'holds' },
    { name: 'priceAnywhere', on: { 'pricing.id': 1, createdAt: -1, _id: -1 } },
    anywhereBy('reference', 'reference'),
    beginning('nameKey'),
    uniqueInTenant('identifier', 'identifier'),
    uniqueInTenant('idempotencyKey', 'idempotencyKey'),
  ],
  coupons: [newest, uniqueInTenant('code', 'code'), uniqueInTenant('idempotencyKey', 'idempotencyKey')],
  redemptions: [newestBy('couponId'), { name: 'checking', on: { checkAt: 1, _id: 1 }, whereDate: 'checkAt' }],
  customers: [
    newest,
    anywhereBy('walletAnywhere', 'walletKeys'),
    anywhereBy('email', 'email'),
    anywhereBy('merchantReference', 'merchantReferenceId'),
    beginning('nameKey'),
    beginning('emailKey'),
    beginning('referenceKey'),
    beginningInTenant('nameKey'),
    beginningInTenant('emailKey'),
    beginningInTenant('referenceKey'),
    uniqueInTenant('walletKeys', 'walletKeys'),
    uniqueInTenant('idempotencyKey', 'idempotencyKey'),
  ],
  wallets: [newest, anywhereBy('receiver', 'receiverWallet'), uniqueInTenant('tokenKey', 'tokenKey')],
  idempotencyKeys: [],
  charges: [
    waiting,
    { name: 'payment', on: { paymentId: 1, attempt: 1, _id: 1 } },
    { name: 'inFlight', on: { chainId: 1, from: 1 }, whereEquals: ['state', 'started', 'sent'] },
    { name: 'txHash', on: { txHash: 1 }, whereString: 'txHash' },
    anywhereBy('mandate', 'mandate.id'),
    inState('final', ['state', 'final'], 'updatedAt'),
    inState('refused', ['state', 'refused'], 'updatedAt'),
  ],
  transactions: [
    { name: 'nonce', on: { chainId: 1, sender: 1, nonce: 1 }, unique: true },
    { name: 'asking', on: { chainId: 1, state: 1, askAt: 1, _id: 1 } },
    { name: 'charge', on: { chargeIds: 1 } },
    { name: 'hash', on: { 'versions.hash': 1 } },
    { name: 'block', on: { chainId: 1, 'block.number': 1, _id: 1 } },
  ],
  permits: [waiting, { name: 'expiry', on: { purgeAt: 1 }, expireAfterSeconds: 0 }],
  mandates: [
    { name: 'router', on: { merchantId: 1, mode: 1, chainId: 1, router: 1, createdAt: 1 } },
    { name: 'agreement', on: { agreement: 1 } },
  ],
  announcements: [waiting, { name: 'payee', on: { payee: 1 } }],
  lanes: [],
  chainCursors: [],
  audits: [],
  foundCharges: [],
  usage: [
    { name: 'newest', on: { subscriptionId: 1, sequence: -1, _id: -1 } },
    { name: 'key', on: { subscriptionId: 1, 'records.key': 1 }, unique: true },
  ],
  invoices: [
    { name: 'last', on: { merchantId: 1, mode: 1, year: 1, number: -1, _id: -1 } },
    { name: 'payment', on: { merchantId: 1, mode: 1, paymentId: 1, createdAt: 1, number: 1, _id: 1 } },
    { name: 'subject', on: { merchantId: 1, mode: 1, subject: 1 }, unique: true },
  ],
  watches: [
    { name: 'wallet', on: { chainId: 1, wallet: 1 } },
    { name: 'newest', on: { chainId: 1, createdAt: 1 } },
    { name: 'checking', on: { partition: 1, lookAt: 1, _id: 1 }, whereDate: 'lookAt' },
  ],
  allowanceChanges: [{ name: 'checking', on: { partition: 1, lookAt: 1, _id: 1 } }],
  deposits: [
    { name: 'held', on: { heldAt: -1, _id: -1 }, whereDate: 'heldAt' },
    { name: 'arrival', on: { 'arrivals.id': 1 }, whereString: 'arrivals.id' },
    { name: 'arrivalIn', on: { 'arrivals.txHash': 1 }, whereString: 'arrivals.txHash' },
    { name: 'address', on: { address: 1 } },
    { name: 'staff', on: { merchantId: 1, 'staffEntry.at': -1, _id: -1 }, whereDate: 'staffEntry.at' },
  ],
  authorizations: [{ name: 'expiry', on: { expiresAt: 1 }, expireAfterSeconds: 0 }],
  checkoutChallenges: [{ name: 'expiry', on: { purgeAt: 1 }, expireAfterSeconds: 0 }],
  checkoutSessions: [{ name: 'expiry', on: { purgeAt: 1 }, expireAfterSeconds: 0 }],
  portalChallenges: [{ name: 'expiry', on: { expiresAt: 1 }, expireAfterSeconds: 0 }],
  portalSessions: [{ name: 'expiry', on: { expiresAt: 1 }, expireAfterSeconds: 0 }],
  members: [{ name: 'merchant', on: { merchantId: 1, removedAt: 1, _id: 1 } }],
  memberSessions: [
    { name: 'member', on: { memberId: 1 } },
    { name: 'expiry', on: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
  passkeyChallenges: [{ name: 'expiry', on: { expiresAt: 1 }, expireAfterSeconds: 0 }],
  logos: [],
  settings: [],
  requests: [
    { name: 'waiting', on: { createdAt: 1, _id: 1 }, whereEquals: ['state', 'waiting'] },
    { name: 'expiry', on: { purgeAt: 1 }, expireAfterSeconds: 0 },
  ],
};
