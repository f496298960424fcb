import { partitionOf } from './ids.ts';
import type { CollectionName } from './port.ts';

/** The shard keys of a cluster, as MongoDB writes them. */
export const SHARD_KEYS = {
  /** Every call names the id. */
  id: { _id: 'hashed' },
  /** The partition follows from the id (`partitionsOfIds`): an actor's rows and timers are on the shard of its head. */
  partition: { partition: 1, _id: 1 },
  /** For unique values of a merchant: a unique index must begin with the shard key. The id of an invoice names both. */
  merchant: { merchantId: 1, mode: 1 },
  /** For unique keys of a subscription's usage. */
  subscription: { subscriptionId: 1 },
} as const satisfies Record<string, { readonly [path: string]: 1 | 'hashed' }>;

type Sharding = keyof typeof SHARD_KEYS | { readonly unsharded: string };

const FEW = { unsharded: 'few and small documents' };
const PER_MERCHANT = { unsharded: 'some documents per merchant' };

/** How a cluster spreads each collection, or why one shard has all of it. */
export const SHARDING: Readonly<Record<CollectionName | 'rateWindows', Sharding>> = {
  log: 'partition',
  subscriptions: 'partition',
  payments: 'partition',
  openPayments: 'id',
  timers: 'partition',
  events: 'partition',
  letters: 'id',
  suppressions: 'id',
  outbox: 'id',
  idempotencyKeys: 'id',
  charges: 'id',
  permits: 'id',
  mandates: 'id',
  watches: 'id',
  deposits: 'id',
  authorizations: 'id',
  checkoutChallenges: 'id',
  checkoutSessions: 'id',
  portalChallenges: 'id',
  portalSessions: 'id',
  redemptions: 'id',
  rateWindows: 'id',
  customers: 'merchant',
  invoices: 'merchant',
  usage: 'subscription',
  transactions: {
    unsharded: 'no shard key keeps both its _id and the nonces of a sender unique; it has one document per 100 charges',
  },
  merchants: FEW,
  logos: FEW,
  apiKeys: PER_MERCHANT,
  staffJournal: PER_MERCHANT,
  staffTokens: FEW,
  staffSessions: FEW,
  offers: PER_MERCHANT,
  wallets: PER_MERCHANT,
  coupons: PER_MERCHANT,
  announcements: PER_MERCHANT,
  lanes: FEW,
  chainCursors: FEW,
  audits: FEW,
  foundCharges: FEW,
  allowanceChanges: FEW,
  members: PER_MERCHANT,
  memberSessions: PER_MERCHANT,
  passkeyChallenges: FEW,
  settings: FEW,
  requests: { unsharded: 'each is there for a moment' },
};

const BY_NAME = new Map<string, Sharding>(Object.entries(SHARDING));

/** How a cluster spreads a collection; null: one shard has it. */
export function shardKeyOf(collection: string): keyof typeof SHARD_KEYS | null {
  const sharding = BY_NAME.get(collection);
  return typeof sharding === 'string' ? sharding : null;
}

/** True if a cluster keeps an index of these paths unique: it begins with the shard key, which is not hashed. */
export function canBeUnique(collection: string, on: { readonly [path: string]: unknown }): boolean {
  const key = shardKeyOf(collection);
  if (key === null) return true;
  return key !== 'id' && Object.keys(SHARD_KEYS[key]).every((path, at) => Object.keys(on)[at] === path);
}

/** The partitions of documents that are sharded by partition: each id begins with that of its actor, or is that. */
export function partitionsOfIds(ids: readonly string[]): number[] {
  const actors = new Set(ids.map((id) => id.split(':', 1)[0] ?? id));
  return [...new Set([...actors].map(partitionOf))];
}

/** The reads that ask all shards: why they may, and the paths that they name. Every write names the shard key. */
const ON_ALL_SHARDS: { readonly [reason: string]: { readonly [C in CollectionName]?: readonly string[] } } = {
  'a page of one merchant, whose actors are on all shards': {
    subscriptions: ['merchantId'],
    payments: ['merchantId'],
    openPayments: ['merchantId'],
    events: ['merchantId'],
    letters: ['merchantId'],
    mandates: ['merchantId'],
    redemptions: ['merchantId'],
    deposits: ['merchantId'],
  },
  'the claims of all merchants on one wallet: it belongs to no shard': {
    subscriptions: ['context.payerWallet', 'context.migration.wallet'],
    watches: ['chainId'],
  },
  'a queue has one order over all payers; asked once per batch of up to 100 charges': {
    charges: ['chainId', 'mandate.id'],
    permits: ['chainId'],
    mandates: ['agreement'],
  },
  'the attempts of one payment: few, and looked for after a failure': { charges: ['_id', 'paymentId'] },
  'an id does not tell the merchant; a page or a request reads one or a few': { customers: ['_id'] },
  'a recurring job looks for what was left behind, some hundred documents at a time': {
    subscriptions: ['context.deferred.why'],
    events: ['wakeAt'],
    letters: ['wakeAt'],
    outbox: ['source'],
    watches: ['lookAt'],
    redemptions: ['checkAt'],
    openPayments: ['createdAt'],
  },
  'a search, a figure or an audit': {
    subscriptions: ['context.pastDueSince', 'quarantine.at', 'status'],
    payments: ['context.fromWallet', 'quarantine.at', 'status'],
    openPayments: ['context.fromWallet', '_id'],
    events: ['resourceId', 'quarantine.at', 'status'],
    letters: ['customerId', 'resourceId', 'paymentId'],
    outbox: ['oldestAt'],
    charges: ['txHash', 'state'],
    deposits: ['_id', 'chainId', 'heldAt', 'address', 'arrivals.id', 'arrivals.txHash'],
    checkoutSessions: ['consent.router'],
    customers: ['nameKey', 'emailKey', 'referenceKey', 'merchantReferenceId', 'email', 'walletKeys'],
  },
};

/** True if a read by this path may ask all shards. */
export function mayAskAllShards(collection: CollectionName, path: string): boolean {
  return Object.values(ON_ALL_SHARDS).some((paths) => paths[collection]?.includes(path));
}
