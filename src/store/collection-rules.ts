import type { CollectionName } from './port.ts';

/** As MongoDB's privileges name it. */
export type WriteOperation = 'insert' | 'update' | 'remove';

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

interface CollectionRules {
  /** How a cluster spreads it, or why one shard has all of it. */
  readonly shard: Sharding;
  /** What a process writes that has all rights of the service, and one that only serves requests. */
  readonly worker: readonly WriteOperation[];
  readonly serving: readonly WriteOperation[];
}

const NOTHING: readonly WriteOperation[] = [];
const INSERT: readonly WriteOperation[] = ['insert'];
const UPDATE: readonly WriteOperation[] = ['update'];
const KEEP: readonly WriteOperation[] = ['insert', 'update'];
const PASS: readonly WriteOperation[] = ['insert', 'remove'];
const ALL: readonly WriteOperation[] = ['insert', 'update', 'remove'];

const FEW = { unsharded: 'few and small documents' };
const PER_MERCHANT = { unsharded: 'some documents per merchant' };
const TRANSACTIONS = {
  unsharded: 'no shard key keeps both its _id and the nonces of a sender unique; it has one document per 100 charges',
};

/** The counters of rates, and the recurring jobs of Agenda: collections outside of `RecordStore`. */
type OtherCollection = 'rateWindows' | 'jobs';

/**
 * The one table of where each collection is in a cluster, and of what each kind of process writes; each reads
 * everything. `npm run ops -- shards` and `-- roles` make the commands for MongoDB from it, and the store refuses every
 * other write (`restricted`). A process of the role `all` is a worker.
 */
export const COLLECTION_RULES: Readonly<Record<CollectionName | OtherCollection, CollectionRules>> = {
  log: { shard: 'partition', worker: INSERT, serving: NOTHING },
  subscriptions: { shard: 'partition', worker: KEEP, serving: NOTHING },
  payments: { shard: 'partition', worker: KEEP, serving: NOTHING },
  openPayments: { shard: 'id', worker: PASS, serving: NOTHING },
  timers: { shard: 'partition', worker: ALL, serving: NOTHING },
  outbox: { shard: 'id', worker: ALL, serving: NOTHING },
  events: { shard: 'partition', worker: KEEP, serving: NOTHING },
  letters: { shard: 'id', worker: KEEP, serving: NOTHING },
  suppressions: { shard: 'id', worker: PASS, serving: PASS },
  merchants: { shard: FEW, worker: KEEP, serving: KEEP },
  logos: { shard: FEW, worker: PASS, serving: PASS },
  apiKeys: { shard: PER_MERCHANT, worker: KEEP, serving: KEEP },
  staffJournal: { shard: PER_MERCHANT, worker: INSERT, serving: INSERT },
  staffTokens: { shard: FEW, worker: NOTHING, serving: NOTHING },
  staffSessions: { shard: FEW, worker: PASS, serving: PASS },
  offers: { shard: PER_MERCHANT, worker: KEEP, serving: UPDATE },
  coupons: { shard: PER_MERCHANT, worker: KEEP, serving: KEEP },
  redemptions: { shard: 'id', worker: KEEP, serving: KEEP },
  customers: { shard: 'merchant', worker: KEEP, serving: NOTHING },
  wallets: { shard: PER_MERCHANT, worker: KEEP, serving: NOTHING },
  idempotencyKeys: { shard: 'id', worker: KEEP, serving: KEEP },
  charges: { shard: 'id', worker: KEEP, serving: NOTHING },
  transactions: { shard: TRANSACTIONS, worker: KEEP, serving: NOTHING },
  permits: { shard: 'id', worker: KEEP, serving: INSERT },
  mandates: { shard: 'id', worker: KEEP, serving: INSERT },
  announcements: { shard: PER_MERCHANT, worker: KEEP, serving: NOTHING },
  lanes: { shard: FEW, worker: KEEP, serving: NOTHING },
  chainCursors: { shard: FEW, worker: KEEP, serving: NOTHING },
  audits: { shard: FEW, worker: KEEP, serving: NOTHING },
  foundCharges: { shard: FEW, worker: INSERT, serving: NOTHING },
  usage: { shard: 'subscription', worker: INSERT, serving: INSERT },
  invoices: { shard: 'merchant', worker: INSERT, serving: NOTHING },
  watches: { shard: 'id', worker: ALL, serving: ALL },
  allowanceChanges: { shard: FEW, worker: ALL, serving: ALL },
  deposits: { shard: 'id', worker: KEEP, serving: KEEP },
  authorizations: { shard: 'id', worker: KEEP, serving: KEEP },
  checkoutChallenges: { shard: 'id', worker: KEEP, serving: KEEP },
  checkoutSessions: { shard: 'id', worker: ALL, serving: ALL },
  portalChallenges: { shard: 'id', worker: PASS, serving: PASS },
  portalSessions: { shard: 'id', worker: PASS, serving: PASS },
  members: { shard: PER_MERCHANT, worker: KEEP, serving: KEEP },
  memberSessions: { shard: PER_MERCHANT, worker: ALL, serving: ALL },
  passkeyChallenges: { shard: FEW, worker: PASS, serving: PASS },
  settings: { shard: FEW, worker: ALL, serving: INSERT },
  requests: { shard: { unsharded: 'each is there for a moment' }, worker: UPDATE, serving: ALL },
  rateWindows: { shard: 'id', worker: KEEP, serving: KEEP },
  jobs: { shard: FEW, worker: ALL, serving: NOTHING },
};
