import { isDeepStrictEqual } from 'node:util';
import { type Collection, type CreateCollectionOptions, type IndexDescription, MongoServerError } from 'mongodb';
import { type IndexSpec, RECORD_INDEXES } from '../indexes.ts';
import type { CollectionName } from '../port.ts';
import type { Connection, Row } from './connection.ts';
import { type PartialTypes, partialTypesOf } from './filter.ts';
import { type Inserter, inserterOf, type Loader, loaderOf } from './inserts.ts';

/** What an index does, without its name. */
interface IndexShape {
  /** Order matters. */
  readonly key: readonly (readonly [string, unknown])[];
  /** Such as `unique` or `collation`; an option that is absent has its default. */
  readonly options: { readonly [name: string]: unknown };
}

/** Fields of an answer of `listIndexes` that say nothing about what the index does. */
const NOT_OPTIONS: ReadonlySet<string> = new Set(['name', 'v', 'ns', 'background']);

export function shapeOf(index: Partial<IndexDescription>): IndexShape {
  const { key = {}, collation, ...others } = index;
  const options = Object.entries(others).filter(([name]) => !NOT_OPTIONS.has(name));
  // Some servers report the default, which compares bytes.
  if (collation !== undefined && collation.locale !== 'simple') options.push(['collation', collation]);
  return { key: Object.entries(key), options: Object.fromEntries(options) };
}

export function haveSameShape(one: Partial<IndexDescription>, other: Partial<IndexDescription>): boolean {
  return isDeepStrictEqual(shapeOf(one), shapeOf(other));
}

/** A collection, with the field types that filters must name so that its indexes serve. */
export interface BoundCollection {
  readonly name: string;
  readonly rows: Collection<Row>;
  readonly types: PartialTypes;
  readonly inserter: Inserter;
  readonly loader: Loader;
}

export interface BoundCollections {
  readonly record: (name: CollectionName) => BoundCollection;
  readonly counters: Collection<Row>;
}

/** The collections that grow with every charge and are never cleared. */
const HISTORY: ReadonlySet<string> = new Set<CollectionName>([
  'log',
  'subscriptions',
  'payments',
  'events',
  'charges',
  'transactions',
  'usage',
  'invoices',
]);

/** The default of every `mongod` but the embedded engine. Measured: a subscription takes half the space on disk. */
const COMPRESSED: CreateCollectionOptions = {
  storageEngine: { wiredTiger: { configString: 'block_compressor=snappy' } },
};
const NAMESPACE_EXISTS = 48;

const COUNTERS = 'rateWindows';
const COUNTER_INDEXES: readonly IndexSpec[] = [{ name: 'expiry', on: { expiresAt: 1 }, expireAfterSeconds: 0 }];

const UNAUTHORIZED = 13;

/** A build over a large collection takes minutes; a second request joins the one that runs. */
const BUILD_MS = 30 * 60_000;
/** Errors for an index that exists with other options, or under another name. */
const INDEX_CONFLICTS: ReadonlySet<unknown> = new Set([85, 86]);

export function bindCollections(connection: Connection): BoundCollections {
  const bound = new Map<CollectionName, BoundCollection>();
  const bind = (name: CollectionName): BoundCollection => {
    const rows = connection.db.collection<Row>(name);
    return {
      name,
      rows,
      types: partialTypesOf(RECORD_INDEXES[name]),
      inserter: inserterOf(connection, rows),
      loader: loaderOf(connection, rows),
    };
  };
  return {
    record: (name) => {
      const known = bound.get(name) ?? bind(name);
      bound.set(name, known);
      return known;
    },
    counters: connection.db.collection<Row>(COUNTERS),
  };
}

export function declaredIndexes(): ReadonlyMap<string, readonly IndexDescription[]> {
  return new Map([
    ...Object.entries(RECORD_INDEXES).map(([name, indexes]) => [name, indexes.map(describe)] as const),
    [COUNTERS, COUNTER_INDEXES.map(describe)] as const,
  ]);
}

/** Makes the missing collections and indexes. Quick when none are missing. `there`: the names of those that exist. */
export async function prepare(connection: Connection, there: ReadonlySet<string>): Promise<void> {
  const records = Object.entries(RECORD_INDEXES).map(async ([name, indexes]) => {
    if (HISTORY.has(name) && !there.has(name)) await make(connection, name);
    await makeIndexes(connection, name, indexes);
  });
  await Promise.all([...records, makeIndexes(connection, COUNTERS, COUNTER_INDEXES)]);
}

export async function namesOf(connection: Connection): Promise<ReadonlySet<string>> {
  const found = await connection.repeatable('list collections', () =>
    connection.db.listCollections({}, { nameOnly: true, batchSize: 1000 }).toArray(),
  );
  return new Set(found.map(({ name }) => name));
}

/** Makes a compressed collection, or a plain one if the server does not know the option. */
async function make(connection: Connection, name: string): Promise<void> {
  for (const options of [COMPRESSED, {}]) {
    try {
      await connection.untilAnswered(`create ${name}`, () => connection.db.createCollection(name, options));
      return;
    } catch (error) {
      if (!(error instanceof MongoServerError)) throw error;
      // Another process made it. After any other error, `createIndexes` makes a plain collection or reports the
      // problem.
      if (error.code === NAMESPACE_EXISTS) return;
    }
  }
}

/**
 * Makes the declared indexes that are missing. An index of the same keys and options under another name serves as well,
 * and stays as it is: an older version of the service, which declares that name, may start again at any time.
 */
async function makeIndexes(connection: Connection, name: string, indexes: readonly IndexSpec[]): Promise<void> {
  if (indexes.length === 0) return;
  const declared = indexes.map(describe);
  if ((await conflictOf(connection, name, declared)) === null) return;
  const conflict = await conflictOf(connection, name, await underTheirNames(connection, name, declared));
  if (conflict === null) return;
  throw new Error(
    `${name} has an index that differs from its declaration in src/store/indexes.ts; drop it, or declare it under another name (${conflict.message})`,
    { cause: conflict },
  );
}

/**
 * Makes the indexes that are missing, and waits for those that another process is making. null: all are there. A user
 * that may make none needs all of them.
 */
async function conflictOf(
  connection: Connection,
  name: string,
  indexes: readonly IndexDescription[],
): Promise<MongoServerError | null> {
  const rows = connection.db.collection<Row>(name);
  try {
    await connection.untilAnswered(`index ${name}`, () => rows.createIndexes([...indexes]), BUILD_MS);
    return null;
  } catch (error) {
    if (error instanceof MongoServerError && INDEX_CONFLICTS.has(error.code)) return error;
    if (!(error instanceof MongoServerError) || error.code !== UNAUTHORIZED) throw error;
    const there = await connection.repeatable(`indexes of ${name}`, () => rows.listIndexes().toArray());
    if (indexes.every((want) => there.some((index) => haveSameShape(index, want)))) return null;
    throw new Error(`${name} lacks indexes, which this user may not make: run migrate as the operator first`, {
      cause: error,
    });
  }
}

/** The declared indexes, each with the name under which the database has it. The connection notes other names. */
async function underTheirNames(
  connection: Connection,
  name: string,
  declared: readonly ReturnType<typeof describe>[],
): Promise<IndexDescription[]> {
  const rows = connection.db.collection<Row>(name);
  const present = await connection.repeatable(`indexes of ${name}`, () => rows.listIndexes().toArray());
  return declared.map((want) => {
    const found = present.find((index) => haveSameShape(index, want));
    if (found === undefined || found.name === want.name) return want;
    connection.noteIndexName(name, { there: found.name, declared: want.name });
    return { ...want, name: found.name };
  });
}

function describe(spec: IndexSpec): IndexDescription & { readonly name: string } {
  const filter: Record<string, unknown> = {};
  if (spec.whereString !== undefined) filter[spec.whereString] = { $type: 'string' };
  if (spec.whereDate !== undefined) filter[spec.whereDate] = { $type: 'date' };
  if (spec.whereEquals !== undefined) {
    const [path, ...values] = spec.whereEquals;
    filter[path] = values.length === 1 ? values[0] : { $in: values };
  }
  if (spec.whereNull !== undefined) filter[spec.whereNull] = null;
  return {
    name: spec.name,
    key: spec.on,
    ...(spec.unique === true ? { unique: true } : {}),
    ...(Object.keys(filter).length > 0 ? { partialFilterExpression: filter } : {}),
    ...(spec.expireAfterSeconds === undefined ? {} : { expireAfterSeconds: spec.expireAfterSeconds }),
  };
}
