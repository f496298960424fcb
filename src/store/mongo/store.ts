import { LogActors } from '../actors/log-actors.ts';
import type { LedgerStore } from '../port.ts';
import { type DatabaseRole, excessOf, restricted } from '../roles.ts';
import type { StoreLog } from './client.ts';
import { bindCollections, namesOf, prepare } from './collections.ts';
import { Connection } from './connection.ts';
import { MongoCounters } from './counters.ts';
import { requireLayout } from './layout.ts';
import { MongoRecords } from './records.ts';

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
    const all = new MongoRecords(connection, bound, version >= FIRST_WITH_BULK_WRITE);
    const records = role === undefined ? all : restricted(all, role);
    return {
      actors: new LogActors(records, log),
      records,
      counters: new MongoCounters(connection, bound),
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
