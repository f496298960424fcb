import { BSON, type Collection, MongoBulkWriteError, MongoServerError } from 'mongodb';
import { UnknownOutcome } from '../errors.ts';
import type { InsertVerdict } from '../port.ts';
import type { Connection, Row } from './connection.ts';
import { duplicateIndexOf } from './failures.ts';

const INSERTED: InsertVerdict = { inserted: true };

/** Inserts all that can be, and says of each whether it was or which unique index had it already. */
export async function insertAll(
  connection: Connection,
  rows: Collection<Row>,
  docs: readonly Row[],
): Promise<InsertVerdict[]> {
  const what = `insert ${rows.collectionName}`;
  let repeated = false;
  const verdicts = await connection.untilAnswered(what, (again) => {
    repeated = again;
    return docs.length === 1 ? insertOne(rows, docs) : insertMany(rows, docs);
  });
  return repeated ? claimOwn(connection, rows, docs, verdicts) : verdicts;
}

async function insertOne(rows: Collection<Row>, docs: readonly Row[]): Promise<InsertVerdict[]> {
  const verdicts: InsertVerdict[] = [];
  for (const doc of docs) {
    try {
      await rows.insertOne(doc);
      verdicts.push(INSERTED);
    } catch (error) {
      const index = error instanceof MongoServerError ? duplicateIndexOf(error) : null;
      if (index === null) throw error;
      verdicts.push({ inserted: false, index });
    }
  }
  return verdicts;
}

async function insertMany(rows: Collection<Row>, docs: readonly Row[]): Promise<InsertVerdict[]> {
  const verdicts: InsertVerdict[] = docs.map(() => INSERTED);
  try {
    await rows.insertMany(docs, { ordered: false });
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const failures = [error.writeErrors].flat();
    if (failures.length === 0) throw error;
    for (const failure of failures) {
      const index = duplicateIndexOf({ code: failure.code, message: failure.errmsg });
      if (index === null) throw error;
      verdicts[failure.index] = { inserted: false, index };
    }
  }
  return verdicts;
}

/** After a lost answer a document that is there with every byte that we sent was put there by us. */
async function claimOwn(
  connection: Connection,
  rows: Collection<Row>,
  docs: readonly Row[],
  verdicts: readonly InsertVerdict[],
): Promise<InsertVerdict[]> {
  const doubtful = docs.filter((_, i) => isTakenId(verdicts[i]));
  if (doubtful.length === 0) return [...verdicts];
  const ids = doubtful.map(({ _id }) => _id);
  const found = await connection.read(`insert ${rows.collectionName}, look again`, () =>
    rows.find({ _id: { $in: ids } }, { batchSize: ids.length + 1 }).toArray(),
  );
  const stored = new Map(found.map((doc) => [doc._id, BSON.serialize(doc)]));
  return docs.map((doc, i) => {
    const verdict = verdicts[i];
    if (verdict === undefined) throw new UnknownOutcome(`insert ${rows.collectionName} ${doc._id}: no verdict`);
    const bytes = isTakenId(verdict) ? stored.get(doc._id) : undefined;
    return bytes !== undefined && Buffer.compare(bytes, BSON.serialize(doc)) === 0 ? INSERTED : verdict;
  });
}

function isTakenId(verdict: InsertVerdict | undefined): boolean {
  return verdict !== undefined && !verdict.inserted && verdict.index === '_id';
}
