import { COLLECTION_RULES, SHARD_KEYS } from './collection-rules.ts';
import { partitionOf } from './ids.ts';
import type { CollectionName } from './port.ts';

const BY_NAME = new Map(Object.entries(COLLECTION_RULES).map(([name, { shard }]) => [name, shard]));

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
  'a recurring job looks for work left behind, some hundred documents at a time': {
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
