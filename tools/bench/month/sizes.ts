import type { Db, MongoClient } from 'mongodb';
import { z } from 'zod';
import { writtenBy } from '../written.ts';

/** The size of a database, and what its server has taken in since it started; all in bytes, except the last two. */
export interface Sizes {
  readonly data: number;
  readonly storage: number;
  readonly indexes: number;
  /** Written to the journal of the storage, with indexes. */
  readonly journal: number;
  /** Documents inserted, updated and deleted. */
  readonly writes: number;
  /** Documents that exist. */
  readonly documents: number;
}

const number = z.coerce.number();
const dbStats = z.object({ dataSize: number, storageSize: number, indexSize: number, objects: number });
/** After a checkpoint, so that the files have everything. */
export async function sizesOf(mongo: MongoClient, db: Db): Promise<Sizes> {
  await db.admin().command({ fsync: 1 });
  const { dataSize, storageSize, indexSize, objects } = dbStats.parse(await db.command({ dbStats: 1 }));
  const { inserted, updated, deleted, journaled } = await writtenBy(mongo);
  return {
    data: dataSize,
    storage: storageSize,
    indexes: indexSize,
    journal: journaled,
    writes: inserted + updated + deleted,
    documents: objects,
  };
}

/** The parts of an entry of the oplog besides the document: namespace, ids, times, versions. */
const ENTRY_BYTES = 200;

/**
 * The oplog of a replica set for the same work, estimated, because the embedded engine has none: an entry for every
 * document written, each with a document of the mean size. An update has only the changed fields, so it is less.
 */
export function oplogBetween(before: Sizes, after: Sizes): number {
  return (after.writes - before.writes) * (after.data / after.documents + ENTRY_BYTES);
}
