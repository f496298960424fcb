import { COLLECTION_RULES, type WriteOperation } from './collection-rules.ts';
import type { CollectionName, LedgerRecords } from './port.ts';

/** A process that only serves requests, and one that has all rights of the service. */
export type DatabaseRole = 'serving' | 'worker';

/** What a method of `RecordStore` does in the database; the others read. */
const NEEDS: ReadonlyMap<PropertyKey, readonly WriteOperation[]> = new Map([
  ['insert', ['insert']],
  ['change', ['update']],
  ['changeMany', ['update']],
  ['changeAlike', ['update']],
  ['upsert', ['insert', 'update']],
  ['remove', ['remove']],
  ['putNewer', ['insert', 'update']],
] satisfies [keyof LedgerRecords, readonly WriteOperation[]][]);

/** The records as a role may write them. Any other write throws a TypeError, and does not reach the database. */
export function restricted(records: LedgerRecords, role: DatabaseRole): LedgerRecords {
  return new Proxy(records, {
    get: (target, name): unknown => {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      const needs = NEEDS.get(name) ?? [];
      return async (...args: [CollectionName, ...unknown[]]): Promise<unknown> => {
        for (const operation of needs) requireRight(role, operation, args[0]);
        return Reflect.apply(method, target, args);
      };
    },
  });
}

function requireRight(role: DatabaseRole, operation: WriteOperation, collection: CollectionName): void {
  if (COLLECTION_RULES[collection][role].includes(operation)) return;
  throw new TypeError(`the role ${role} has no ${operation} on ${collection}: see src/store/collection-rules.ts`);
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
  const own = Object.entries(COLLECTION_RULES).map(([collection, rights]) => {
    const index = collection === 'jobs' && role === 'worker' ? ['createIndex'] : [];
    return { resource: { db, collection }, actions: [...READS, ...rights[role], ...index] };
  });
  return [{ resource: { db, collection: '' }, actions: ['listCollections'] }, ...own];
}

/** Actions that change data, or delete it later. */
const CHANGING: readonly string[] = [
  'insert',
  'update',
  'remove',
  'createIndex',
  'collMod',
  'dropCollection',
  'dropDatabase',
];

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
