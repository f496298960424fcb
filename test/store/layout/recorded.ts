import { BSON, type MongoClient } from 'mongodb';
import { LAYOUT } from '../../../src/store/mongo/layout.ts';

/** The documents of a database of the present layout, one a line: `record.ts` writes it. */
export const RECORDED = new URL(`./layout-${LAYOUT}.jsonl`, import.meta.url);

interface Line {
  readonly collection: string;
  readonly doc: { readonly _id: string };
}

/** All documents of a database, in the order of collections and ids. */
export async function dump(client: MongoClient, dbName: string): Promise<string> {
  const db = client.db(dbName);
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();
  const lines: string[] = [];
  for (const collection of names) {
    const docs = db.collection(collection).find({}).sort({ _id: 1 });
    for await (const doc of docs) lines.push(`${BSON.EJSON.stringify({ collection, doc }, { relaxed: true })}\n`);
  }
  return lines.join('');
}

/** Stores such lines in an empty database. */
export async function load(client: MongoClient, dbName: string, text: string): Promise<void> {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line): Line => BSON.EJSON.parse(line));
  for (const collection of new Set(lines.map((line) => line.collection))) {
    const docs = lines.filter((line) => line.collection === collection).map(({ doc }) => doc);
    await client.db(dbName).collection<{ _id: string }>(collection).insertMany(docs);
  }
}
