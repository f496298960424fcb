import { type Collection, type Document, MongoClient } from 'mongodb';
import { withEmbeddedDatabase } from '../../../scripts/lib/installation.ts';
import { ScriptError } from '../../../scripts/lib/script.ts';
import { silentLog } from '../../../scripts/lib/silent-log.ts';
import { changed } from '../../../src/store/change.ts';
import type { ActorKind } from '../../../src/store/documents.ts';
import { openMongoStore } from '../../../src/store/mongo/store.ts';
import type { Store } from '../../../src/store/port.ts';

const DB_NAME = 'tideline';

/** A document, as the database has it. */
export interface Row extends Document {
  readonly _id: string;
}

/** Write access to the database of a service. */
export class Database {
  readonly #client: MongoClient;
  readonly #store: Store;

  private constructor(client: MongoClient, store: Store) {
    this.#client = client;
    this.#store = store;
  }

  static async use<T>(dataDir: string, use: (database: Database) => Promise<T>): Promise<T> {
    return withEmbeddedDatabase(dataDir, async (uri) => {
      const client = await MongoClient.connect(uri);
      const store = await openMongoStore({ uri, dbName: DB_NAME, log: silentLog, isEmbedded: true });
      try {
        return await use(new Database(client, store));
      } finally {
        await store.close();
        await client.close();
      }
    });
  }

  /** Changes the only document that matches. */
  async change(collection: string, where: Document, set: Document): Promise<void> {
    const { modifiedCount } = await this.#rows(collection).updateMany(where, { $set: set });
    if (modifiedCount !== 1) throw new ScriptError(`${modifiedCount} documents of ${collection} were changed, not one`);
  }

  /** The same for a subscription or payment. With a row of the log, the service takes it for a change of its own. */
  async changeActor(kind: ActorKind, id: string, set: Document): Promise<void> {
    const [before] = await this.#store.actors.load(kind, [id]);
    if (before === undefined) throw new ScriptError(`there is no ${kind} ${id}`);
    const rev = before.rev + 1;
    const after = { ...changed(before, { set }), rev, ...('wakeAt' in set ? { wakeRev: rev } : {}) };
    const now = new Date();
    const batch = { op: `by hand:${id}:${rev}`, at: now, relayAt: now };
    const commits = [{ before, after, events: [], effects: [] }];
    const [verdict] = await this.#store.actors.commit(kind, { ...batch, commits });
    if (verdict !== 'applied') throw new ScriptError(`${id} was changed by the service at the same moment`);
  }

  async insert(collection: string, row: Row): Promise<void> {
    await this.#rows(collection).insertOne(row);
  }

  async delete(collection: string, where: Document): Promise<number> {
    return (await this.#rows(collection).deleteMany(where)).deletedCount;
  }

  /** The only document that matches. */
  async find(collection: string, where: Document): Promise<Row> {
    const found = await this.#rows(collection).find(where).toArray();
    const [row] = found;
    if (row === undefined || found.length > 1)
      throw new ScriptError(`${found.length} documents of ${collection} match`);
    return row;
  }

  #rows(collection: string): Collection<Row> {
    return this.#client.db(DB_NAME).collection<Row>(collection);
  }
}
