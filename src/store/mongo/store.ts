import {
  type AnyBulkWriteOperation,
  type Document,
  MongoBulkWriteError,
  MongoServerError,
  type WriteConcernSettings,
} from 'mongodb';
import { LogActors } from '../actors/log-actors.ts';
import { changed } from '../change.ts';
import type { Collections } from '../collections.ts';
import { DuplicateKey } from '../errors.ts';
import {
  checkAtMost,
  checkCount,
  checkCounter,
  checkDocument,
  checkOne,
  checkQuery,
  checkTally,
  checkWhere,
} from '../guard.ts';
import { type CounterStore, type LedgerRecords, type LedgerStore, PARTS_KEPT } from '../port.ts';
import { type DatabaseRole, excessOf, restricted } from '../roles.ts';
import { typed } from '../typed.ts';
import { changeAll, changeOne } from './changes.ts';
import type { StoreLog } from './client.ts';
import { type BoundCollection, type BoundCollections, bindCollections, namesOf, prepare } from './collections.ts';
import { Connection, type Row } from './connection.ts';
import { DUPLICATE_KEY, duplicateIndexOf } from './failures.ts';
import { byIds, filterOf, updateOf } from './filter.ts';
import { withSafeKeys } from './keys.ts';
import { requireLayout } from './layout.ts';
import { countIn, findIn, tallyIn } from './queries.ts';

export interface MongoStoreDeps {
  readonly uri: string;
  readonly dbName: string;
  readonly log: StoreLog;
  /** The database is the embedded one of a data folder, which `npm run reset` deletes. Default: false. */
  readonly isEmbedded?: boolean;
  /** Refuses what a process of this role does not write. Absent: writes everything, for operators. */
  readonly role?: DatabaseRole;
}

export interface MongoStore extends LedgerStore {
  /** What the database's user may do beyond the role, such as `update transactions`. null: there are no users. */
  excess(role: DatabaseRole): Promise<string[] | null>;
}

/**
 * The store on a MongoDB server: the embedded engine, a standalone or a replica set. Makes missing collections and
 * indexes. Throws an Error with a sentence for people if the data there is not of this layout (`layout.ts`). Throws
 * StoreUnavailable when no server answers within 2 s; its operations do so too. Writes throw UnknownOutcome when the
 * answer was lost and the outcome is unknown.
 */
export async function openMongoStore({
  uri,
  dbName,
  log,
  isEmbedded = false,
  role,
}: MongoStoreDeps): Promise<MongoStore> {
  const connection = await Connection.open(uri, dbName, log);
  try {
    const [version, collections] = await Promise.all([connection.version(), namesOf(connection)]);
    await requireLayout({ connection, dbName, isEmbedded }, collections);
    await prepare(connection, collections);
    const bound = bindCollections(connection);
    const all = mongoRecords(connection, bound.record, version >= FIRST_WITH_BULK_WRITE);
    const records = role === undefined ? all : restricted(all, role);
    return {
      actors: new LogActors(records, log),
      records,
      counters: mongoCounters(connection, bound.counters),
      roundTrips: () => connection.calls.total,
      ping: () => connection.ping(),
      excess: async (of) => {
        const privileges = await connection.privileges();
        return privileges && excessOf(of, dbName, privileges);
      },
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** The first version with the command that answers per change. */
const FIRST_WITH_BULK_WRITE = 8;

/** The field in which a read returns the named document; no document has a field with this name. */
const NAMED = ':named';

function mongoRecords(connection: Connection, record: BoundCollections['record'], canBulk: boolean): LedgerRecords {
  const records: LedgerRecords = {
    async get(from, ids) {
      if (ids.length === 0) return [];
      const rows = await record(from).loader.ask(ids);
      return rows.map((row) => typed(row));
    },

    /** Measured on the embedded engine: twice as fast as two reads for one document, equally fast for 30. */
    async getWith(from, ids, by, named) {
      if (ids.length === 0) return [];
      const pipeline = [
        { $match: byIds(connection, from, ids) },
        { $lookup: { from: record(named).name, localField: by, foreignField: '_id', as: NAMED } },
      ];
      const rows = await connection.repeatable(`get ${from} with ${named}`, () =>
        record(from)
          .rows.aggregate<Row & { readonly [NAMED]: readonly Row[] }>(pipeline, { batchSize: ids.length + 1 })
          .toArray(),
      );
      return rows.map(({ [NAMED]: [other], ...doc }) => ({
        doc: typed(doc),
        named: other === undefined ? null : typed(other),
      }));
    },

    async insert(into, docs) {
      if (docs.length === 0) return [];
      for (const doc of docs) checkDocument(doc, `${into} ${doc._id}`);
      return record(into).inserter.ask(docs);
    },

    async find(from, query) {
      checkQuery(query, `find ${from}`);
      return findIn(connection, record(from), query);
    },

    async count(from, where, atMost) {
      checkWhere(where, `count ${from}`);
      checkAtMost(atMost, `count ${from}.atMost`);
      return countIn(connection, record(from), where, atMost);
    },

    async change(of, id, where, change) {
      checkOne(of, { id, where, change });
      const row = await changeOne(connection, record(of), { id, where, change });
      return row === null ? null : typed(row);
    },

    async changeMany(of, changes) {
      for (const one of changes) checkOne(of, one);
      return changeAll(connection, record(of), changes, canBulk);
    },

    async changeAlike(of, ids, where, change) {
      const [id] = ids;
      if (id === undefined) return 0;
      checkOne(of, { id, where, change });
      const { rows, types } = record(of);
      const filter = { $and: [byIds(connection, of, ids), filterOf(where, types)] };
      const result = await connection.write(`change ${of}`, () => rows.updateMany(filter, updateOf(change)));
      return connection.isRouter ? null : result.matchedCount;
    },

    async upsert(of, id, initial, change) {
      const first: Collections[typeof of] = typed({ ...initial, _id: id });
      checkDocument(first, `upsert ${of} ${id}`);
      // One try for each time that others make and remove the document in between: the next change finds another
      // writer's insert.
      for (let tries = 0; tries < 16; tries++) {
        const present = await records.change(of, id, {}, change);
        if (present !== null) return present;
        const made = changed(first, change);
        const [verdict] = await records.insert(of, [made]);
        if (verdict?.inserted === true) return made;
        if (verdict !== undefined && verdict.index !== '_id') throw new DuplicateKey(of, id, verdict.index);
      }
      throw new Error(
        `upsert ${of} ${id}: gave up after 16 tries, because other writers made and removed it each time`,
      );
    },

    async remove(from, ids) {
      if (ids.length === 0) return 0;
      const { rows } = record(from);
      const filter = byIds(connection, from, ids);
      const result = await connection.write(`remove ${from}`, () =>
        ids.length === 1 ? rows.deleteOne(filter) : rows.deleteMany(filter),
      );
      return result.deletedCount;
    },

    async putNewer(into, docs) {
      if (docs.length === 0) return;
      for (const doc of docs) checkDocument(doc, `${into} ${doc._id}`);
      await putNewer(connection, record(into), docs);
    },

    async findFields(from, query, fields) {
      checkQuery(query, `find ${from}`);
      const projection = Object.fromEntries(['_id', ...fields].map((field) => [field, 1 as const]));
      return findIn(connection, record(from), query, projection);
    },

    async tally(from, query) {
      checkTally(query, `tally ${from}`);
      return tallyIn(connection, record(from), query);
    },
  };
  return records;
}

/**
 * Stores each document unless the stored one has the same `rev` or a higher one. A repetition changes nothing. Where
 * the stored one is newer, the database tries to insert a second document of its `_id`, and refuses. It also refuses
 * where another process has inserted an older one at the same moment, so refused writes are sent again once.
 */
async function putNewer(
  connection: Connection,
  { name, rows }: BoundCollection,
  docs: readonly (Row & { readonly rev?: number })[],
): Promise<void> {
  const writes = docs.map((doc) => ({
    replaceOne: {
      filter: { ...byIds(connection, name, [doc._id]), rev: { $lt: doc.rev } },
      replacement: withSafeKeys(doc),
      upsert: true,
    },
  }));
  await connection.untilAnswered(`store newer ${name}`, async () => {
    const refused = await refusedOf(rows, writes);
    if (refused.length > 0) await refusedOf(rows, refused);
  });
}

/** Sends all writes. Those of them that met a document of their `_id`. */
async function refusedOf<W extends AnyBulkWriteOperation<Row>>(
  rows: BoundCollection['rows'],
  writes: readonly W[],
): Promise<W[]> {
  try {
    await rows.bulkWrite(writes, { ordered: false });
    return [];
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const failures = [error.writeErrors].flat();
    if (failures.length === 0 || failures.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
    return failures.flatMap(({ index }) => writes[index] ?? []);
  }
}

/** A crash that loses a count allows a few calls more, so counters do not wait for the journal. */
const QUICK: WriteConcernSettings = { w: 1, journal: false };

/** Counters that MongoDB's own monitor deletes within a minute after their end. */
function mongoCounters(connection: Connection, rows: BoundCollections['counters']): CounterStore {
  /** null: another call inserted the document after this one's check; it exists now. */
  const upsert = async (key: string, update: Document, projection: Document): Promise<Row | null> => {
    try {
      const options = { upsert: true, returnDocument: 'after', projection, writeConcern: QUICK } as const;
      return await rows.findOneAndUpdate({ _id: key }, update, options);
    } catch (error) {
      if (error instanceof MongoServerError && duplicateIndexOf(error) === '_id') return null;
      throw error;
    }
  };

  /** After a lost answer a call may be counted twice: that is better than to refuse it. */
  const raise = async (key: string, update: Document, projection: Document): Promise<Row> => {
    for (;;) {
      const after = await connection.repeatable(`count ${key}`, () => upsert(key, update, projection));
      if (after !== null) return after;
    }
  };

  return {
    async add(key, n, expiresAt) {
      checkCounter(key, n, expiresAt);
      const update = { $inc: { n }, $setOnInsert: { expiresAt } };
      const after = await raise(key, update, { n: 1 });
      return Number(after['n']);
    },

    async addPart(key, n, part, expiresAt) {
      checkCounter(key, n, expiresAt);
      checkCount(part, `counter ${key}.part`);
      // Plain operators: a pipeline that reuses a few fields cost the database 40 % more (measured).
      const update = {
        $inc: { n, [`parts.${part}`]: n },
        $unset: { [`parts.${part - PARTS_KEPT}`]: '' },
        $setOnInsert: { expiresAt },
      };
      const after = await raise(key, update, { n: 1, [`parts.${part}`]: 1 });
      return { whole: Number(after['n']), part: Number(after['parts']?.[part]) };
    },
  };
}
