import type { MongoClient } from 'mongodb';
import { z } from 'zod';
import { compared, counted, type Row, type Target } from '../row.ts';
import { type Written, writtenBy } from '../written.ts';
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
    toSecond('open files of the service, the last tenth to the second', 'files', ({ files }) => files, { atMost: 1.2 }),
  ];
}

/** The size of a database in bytes, its documents, and what its server has written since it started. */
interface Sizes extends Written {
  readonly data: number;
  readonly storage: number;
  readonly indexes: number;
  readonly documents: number;
}

const number = z.coerce.number();
const dbStats = z.object({ dataSize: number, storageSize: number, indexSize: number, objects: number });

/** After a checkpoint, so that the files have everything. */
export async function sizesOf(mongo: MongoClient, dbName: string): Promise<Sizes> {
  const db = mongo.db(dbName);
  await db.admin().command({ fsync: 1 });
  const stats = dbStats.parse(await db.command({ dbStats: 1 }));
  const { dataSize: data, storageSize: storage, indexSize: indexes, objects: documents } = stats;
  return { data, storage, indexes, documents, ...(await writtenBy(mongo)) };
}

/** The parts of an entry of the oplog besides the document: namespace, ids, times, versions. */
const ENTRY_BYTES = 200;

/** Disk, journal and chain, for each of `count` subscriptions, and each cycle of those that `charges` was added by. */
export function sizeRows(
  { before, charges, after }: { readonly before: Sizes; readonly charges: Sizes; readonly after: Sizes },
  ledger: Ledger,
  { count, charged }: { readonly count: number; readonly charged: number },
): Row[] {
  const each = (name: string, bytes: number, of = charged): Row => counted(name, 'bytes', bytes / of);
  return [
    each('a subscription: data', before.data, count),
    each('a subscription: data on disk, compressed', before.storage, count),
    each('a subscription: indexes on disk', before.indexes, count),
    each('a cycle adds: data', charges.data),
    each('a cycle adds: data on disk, compressed', charges.storage),
    each('a cycle adds: indexes on disk', charges.indexes),
    each('a cycle: journal bytes of the storage', charges.journaled),
    each('a cycle: oplog of a replica set, estimated', oplogOf(charges, after)),
    counted('a cycle: documents written', 'documents', writesOf(charges) / charged),
    counted('the database on disk at the end', 'MiB', (after.storage + after.indexes) / MIB),
    counted('the blocks of the chain', 'MiB', ledger.bytes / MIB),
    each('a charge: bytes in blocks', ledger.bytes),
    counted('a charge: gas', 'gas', ledger.gas / charged),
  ];
}

const FILLED_TENTHS = 7;
const OFF_BY_MAX = 0.05;

/** How far the filled tenths are from a charged one, in documents and bytes. */
export function filledRow(filled: Sizes, charged: Sizes): Row {
  const off = (part: 'documents' | 'data') => Math.abs(filled[part] / FILLED_TENTHS / charged[part] - 1);
  const most = Math.max(off('documents'), off('data'));
  return counted('a filled cycle: documents and bytes, off a charged one', 'share', most, { atMost: OFF_BY_MAX });
}

/**
 * The bytes that a replica set would have in its oplog. Estimated, because the embedded engine has none: an entry for
 * every document written, each with a document of the mean size. An update has only the changed fields, so it is less.
 */
export function oplogOf(charges: Sizes, after: Sizes): number {
  return writesOf(charges) * (after.data / after.documents + ENTRY_BYTES);
}

function writesOf({ inserted, updated, deleted }: Sizes): number {
  return inserted + updated + deleted;
}
