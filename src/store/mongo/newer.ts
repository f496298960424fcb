import { type AnyBulkWriteOperation, MongoBulkWriteError } from 'mongodb';
import type { BoundCollection } from './collections.ts';
import type { Connection, Row } from './connection.ts';
import { DUPLICATE_KEY } from './failures.ts';
import { byIds } from './filter.ts';
import { withSafeKeys } from './keys.ts';

/**
 * Stores each document unless the stored one has the same `rev` or a higher one. A repetition changes nothing. Where
 * the stored one is newer, the database tries to insert a second document of its `_id`, and refuses. It also refuses
 * where another process has inserted an older one at the same moment, so refused writes are sent again once.
 */
export async function putNewer(
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
