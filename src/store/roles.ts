import type { CollectionName, LedgerRecords } from './port.ts';

/** A process that only serves requests, and one that has all rights of the service. */
export type DatabaseRole = 'serving' | 'worker';

/** As MongoDB's privileges name it. */
type WriteOperation = 'insert' | 'update' | 'remove';

interface Rights {
  readonly worker: readonly WriteOperation[];
  readonly serving: readonly WriteOperation[];
}

const NOTHING: readonly WriteOperation[] = [];
const INSERT: readonly WriteOperation[] = ['insert'];
const UPDATE: readonly WriteOperation[] = ['update'];
const KEEP: readonly WriteOperation[] = ['insert', 'update'];
const PASS: readonly WriteOperation[] = ['insert', 'remove'];
const ALL: readonly WriteOperation[] = ['insert', 'update', 'remove'];

/** The counters of rates, and the recurring jobs of Agenda: collections outside of `RecordStore`. */
type OtherCollection = 'rateWindows' | 'jobs';

/**
 * The one table of what each kind of process writes; each reads everything. `npm run ops -- roles` makes MongoDB's
 * roles from it, and the store refuses everything else (`restricted`). A process of the role `all` is a worker.
 */
export const WRITES: Readonly<Record<CollectionName | OtherCollection, Rights>> = {
  log: { worker: INSERT, serving: NOTHING },
  subscriptions: { worker: KEEP, serving: NOTHING },
  payments: { worker: KEEP, serving: NOTHING },
  openPayments: { worker: PASS, serving: NOTHING },
  timers: { worker: ALL, serving: NOTHING },
  outbox: { worker: ALL, serving: NOTHING },
  events: { worker: KEEP, serving: NOTHING },
  letters: { worker: KEEP, serving: NOTHING },
  suppressions: { worker: PASS, serving: PASS },
  merchants: { worker: KEEP, serving: KEEP },
  logos: { worker: PASS, serving: PASS },
  apiKeys: { worker: KEEP, serving: KEEP },
  staffJournal: { worker: INSERT, serving: INSERT },
  staffTokens: { worker: NOTHING, serving: NOTHING },
  staffSessions: { worker: PASS, serving: PASS },
  offers: { worker: KEEP, serving: UPDATE },
  coupons: { worker: KEEP, serving: KEEP },
  redemptions: { worker: KEEP, serving: KEEP },
  customers: { worker: KEEP, serving: NOTHING },
  wallets: { worker: KEEP, serving: NOTHING },
  idempotencyKeys: { worker: KEEP, serving: KEEP },
  charges: { worker: KEEP, serving: NOTHING },
  transactions: { worker: KEEP, serving: NOTHING },
  permits: { worker: KEEP, serving: INSERT },
  mandates: { worker: KEEP, serving: INSERT },
  announcements: { worker: KEEP, serving: NOTHING },
  lanes: { worker: KEEP, serving: NOTHING },
  chainCursors: { worker: KEEP, serving: NOTHING },
  audits: { worker: KEEP, serving: NOTHING },
  foundCharges: { worker: INSERT, serving: NOTHING },
  usage: { worker: INSERT, serving: INSERT },
  invoices: { worker: INSERT, serving: NOTHING },
  watches: { worker: ALL, serving: ALL },
  allowanceChanges: { worker: ALL, serving: ALL },
  deposits: { worker: KEEP, serving: KEEP },
  authorizations: { worker: KEEP, serving: KEEP },
  checkoutChallenges: { worker: KEEP, serving: KEEP },
  checkoutSessions: { worker: ALL, serving: ALL },
  portalChallenges: { worker: PASS, serving: PASS },
  portalSessions: { worker: PASS, serving: PASS },
  members: { worker: KEEP, serving: KEEP },
  memberSessions: { worker: ALL, serving: ALL },
  passkeyChallenges: { worker: PASS, serving: PASS },
  settings: { worker: ALL, serving: INSERT },
  requests: { worker: UPDATE, serving: ALL },
  rateWindows: { worker: KEEP, serving: KEEP },
  jobs: { worker: ALL, serving: NOTHING },
};

/** What a method of `RecordStore` does in the database; the others read. */
const NEEDS: ReadonlyMap<PropertyKey, readonly WriteOperation[]> = new Map([
  ['insert', INSERT],
  ['change', UPDATE],
  ['changeMany', UPDATE],
  ['changeAlike', UPDATE],
  ['upsert', KEEP],
  ['remove', ['remove']],
  ['putNewer', KEEP],
] satisfies [keyof LedgerRecords, readonly WriteOperation[]][]);

/** The records as a role may write them. Any other write throws a TypeError, and does not reach the database. */
export function restricted(records: LedgerRecords, role: DatabaseRole): LedgerRecords {
  return new Proxy(records, {
    get: (target, name): unknown => {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      const needs = NEEDS.get(name) ?? NOTHING;
      return async (...args: [CollectionName, ...unknown[]]): Promise<unknown> => {
        for (const operation of needs) requireRight(role, operation, args[0]);
        return Reflect.apply(method, target, args);
      };
    },
  });
}

function requireRight(role: DatabaseRole, operation: WriteOperation, collection: CollectionName): void {
  if (WRITES[collection][role].includes(operation)) return;
  throw new TypeError(`the role ${role} has no ${operation} on ${collection}: see WRITES in src/store/roles.ts`);
}

/** One privilege of MongoDB. An empty name stands for all. */
export interface Privilege {
  readonly resource: {
    readonly db?: string | undefined;
    readonly collection?: string | undefined;
    readonly anyResource?: boolean | undefined;
  };
  readonly actions: readonly string[];
}

const READS: readonly string[] = ['find', 'listIndexes'];

/** The privileges of a role, in MongoDB's form. Agenda makes its index itself. */
export function privilegesOf(role: DatabaseRole, db: string): Privilege[] {
  const own = Object.entries(WRITES).map(([collection, rights]) => {
    const index = collection === 'jobs' && role === 'worker' ? ['createIndex'] : [];
    return { resource: { db, collection }, actions: [...READS, ...rights[role], ...index] };
  });
  return [{ resource: { db, collection: '' }, actions: ['listCollections'] }, ...own];
}

/** Actions that change data, or delete it later. */
const CHANGING: readonly string[] = [...ALL, 'createIndex', 'collMod', 'dropCollection', 'dropDatabase'];

/** What a user with these privileges may do beyond its role, such as `update transactions`. */
export function excessOf(role: DatabaseRole, db: string, has: readonly Privilege[]): string[] {
  return privilegesOf(role, db).flatMap(({ resource: { collection }, actions }) => {
    const found = has.filter(({ resource }) => covers(resource, db, collection ?? '')).flatMap((each) => each.actions);
    return CHANGING.filter((action) => found.includes(action) && !actions.includes(action)).map((action) =>
      `${action} ${collection}`.trim(),
    );
  });
}

function covers({ anyResource = false, ...resource }: Privilege['resource'], db: string, collection: string): boolean {
  const isOfDb = resource.db === '' || resource.db === db;
  return anyResource || (isOfDb && (resource.collection === '' || resource.collection === collection));
}
