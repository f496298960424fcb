import { type Collection, type Document, MongoClient } from 'mongodb';
import { ScriptError } from '../../../scripts/lib/script.ts';
import { withEmbeddedDatabase } from '../../../scripts/lib/stored.ts';

/** A document, as the database has it. */
export interface Row extends Document {
  readonly _id: string;
}

/** Write access to the database of a service. */
export class Database {
  readonly #client: MongoClient;

  private constructor(client: MongoClient) {
    this.#client = client;
  }

  static async use<T>(dataDir: string, use: (database: Database) => Promise<T>): Promise<T> {
    return withEmbeddedDatabase(dataDir, async (uri) => {
      const client = await MongoClient.connect(uri);
      try {
        return await use(new Database(client));
      } finally {
        await client.close();
      }
    });
  }

  /** Changes the only document that matches. */
  async change(collection: string, where: Document, set: Document): Promise<void> {
    const { modifiedCount } = await this.#rows(collection).updateMany(where, { $set: set });
    if (modifiedCount !== 1) throw new ScriptError(`${modifiedCount} documents of ${collection} were changed, not one`);
  }

  /** The same for a subscription or payment. With a later revision, the service takes it for a change of its own. */
  async changeActor(collection: 'subscriptions' | 'payments', id: string, set: Document): Promise<void> {
    const { modifiedCount } = await this.#rows(collection).updateOne({ _id: id }, { $set: set, $inc: { rev: 1 } });
    if (modifiedCount !== 1) throw new ScriptError(`${collection} has no ${id}`);
  }

  async insert(collection: string, row: Row): Promise<void> {
    await this.#rows(collection).insertOne(row);
  }

  /** Deletes all documents that match. Resolves with their number. */
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
    return this.#client.db('tideline').collection<Row>(collection);
  }
}
