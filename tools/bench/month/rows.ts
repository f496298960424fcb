import type { MongoClient } from 'mongodb';
import { z } from 'zod';
import { compared, counted, type Row, type Target } from '../row.ts';
import { writtenBy } from '../written.ts';
import { type Course, PROCESSES, type Process, type Tenth } from './course.ts';
import type { Ledger } from './truth.ts';

/** With fewer, the service is still growing to its constant size in the second tenth, and its start decides. */
const TARGETS_FROM = 20_000;
const MIB = 2 ** 20;

const CALLED: Readonly<Record<Process, string>> = {
  service: 'the service',
  database: 'the database',
  node: "the chain's node",
};

/** The last tenth of the charges beside the first; beside the second where the start of the service would show. */
export function growthRows(course: Course, count: number): Row[] {
  const [first, second, last] = [course.tenth(1), course.tenth(2), course.tenth(10)];
  const beside =
    (earlier: Tenth) =>
    (name: string, unit: string, figure: (tenth: Tenth) => number, target: Target | null = null): Row =>
      compared(name, unit, figure(last), figure(earlier), count < TARGETS_FROM ? null : target);
  const [toFirst, toSecond] = [beside(first), beside(second)];
  return [
    toFirst('the last tenth to the first, by the clock', 'charges/s', (tenth) => tenth.perSecond),
    toFirst('the last tenth to the first, by the yardstick', 'charges', (tenth) => tenth.perYardstick, {
      atLeast: 0.9,
    }),
    ...PROCESSES.map((process) => {
      const name = `processor time of ${CALLED[process]}, the last tenth to the second`;
      return toSecond(name, 'ms/charge', (tenth) => tenth.cpuMsPerCharge[process]);
    }),
    toSecond(
      'the service and the database by the yardstick, the last tenth to the second',
      'yardsticks/charge',
      (tenth) => tenth.yardsticksPerCharge,
      { atMost: 1.1 },
    ),
    ...PROCESSES.map((process) => {
      const name = `memory of ${CALLED[process]}, the last tenth to the second`;
      return toSecond(name, 'MiB', (tenth) => tenth.mib[process], process === 'service' ? { atMost: 1.2 } : null);
    }),
    toSecond('used heap of the service, the last tenth to the second', 'MiB', (tenth) => tenth.heapMiB),
  ];
}

/** The size of a database, and what its server has taken in since it started; all in bytes, except the last two. */
interface Sizes {
  readonly data: number;
  readonly storage: number;
  readonly indexes: number;
  /** Written to the journal of the storage, with indexes. */
  readonly journal: number;
  /** Documents inserted, updated and deleted. */
  readonly writes: number;
  readonly documents: number;
}

const number = z.coerce.number();
const dbStats = z.object({ dataSize: number, storageSize: number, indexSize: number, objects: number });

/** After a checkpoint, so that the files have everything. */
export async function sizesOf(mongo: MongoClient, dbName: string): Promise<Sizes> {
  const db = mongo.db(dbName);
  await db.admin().command({ fsync: 1 });
  const stats = dbStats.parse(await db.command({ dbStats: 1 }));
  const { inserted, updated, deleted, journaled } = await writtenBy(mongo);
  return {
    data: stats.dataSize,
    storage: stats.storageSize,
    indexes: stats.indexSize,
    journal: journaled,
    writes: inserted + updated + deleted,
    documents: stats.objects,
  };
}

/** The parts of an entry of the oplog besides the document: namespace, ids, times, versions. */
const ENTRY_BYTES = 200;

/** Disk, journal and chain, for each subscription and for each cycle. */
export function sizeRows(
  { before, after, ledger }: { readonly before: Sizes; readonly after: Sizes; readonly ledger: Ledger },
  count: number,
): Row[] {
  const each = (name: string, bytes: number): Row => counted(name, 'bytes', bytes / count);
  const added = (part: keyof Sizes): number => after[part] - before[part];
  return [
    each('a subscription: data', before.data),
    each('a subscription: data on disk, compressed', before.storage),
    each('a subscription: indexes on disk', before.indexes),
    each('a cycle adds: data', added('data')),
    each('a cycle adds: data on disk, compressed', added('storage')),
    each('a cycle adds: indexes on disk', added('indexes')),
    each('a cycle: journal bytes of the storage', added('journal')),
    each('a cycle: oplog of a replica set, estimated', oplogOf(before, after)),
    counted('a cycle: documents written', 'documents', added('writes') / count),
    counted('the database on disk at the end', 'MiB', (after.storage + after.indexes) / MIB),
    counted('the blocks of the chain', 'MiB', ledger.bytes / MIB),
    each('a charge: bytes in blocks', ledger.bytes),
    counted('a charge: gas', 'gas', ledger.gas / count),
  ];
}

/**
 * The bytes that a replica set would have in its oplog. Estimated, because the embedded engine has none: an entry for
 * every document written, each with a document of the mean size. An update has only the changed fields, so it is less.
 */
export function oplogOf(before: Sizes, after: Sizes): number {
  return (after.writes - before.writes) * (after.data / after.documents + ENTRY_BYTES);
}
