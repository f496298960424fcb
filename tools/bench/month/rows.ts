import { compared, counted, type Row, type Target } from '../row.ts';
import { type Course, PROCESSES, type Process } from './course.ts';
import { oplogBetween, type Sizes } from './sizes.ts';
import type { Ledger } from './truth.ts';

const STEADY = { atLeast: 0.9 } as const;
const CHEAP = { atMost: 1.1 } as const;
const FLAT = { atMost: 1.2 } as const;
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
  const targeted = (target: Target): Target | null => (count < TARGETS_FROM ? null : target);
  return [
    compared('the last tenth to the first, by the clock', 'charges/s', last.perSecond, first.perSecond),
    compared(
      'the last tenth to the first, by the yardstick',
      'charges',
      last.perYardstick,
      first.perYardstick,
      targeted(STEADY),
    ),
    ...PROCESSES.map((name) =>
      compared(
        `processor time of ${CALLED[name]}, the last tenth to the second`,
        'ms/charge',
        last.cpuMsPerCharge[name],
        second.cpuMsPerCharge[name],
      ),
    ),
    compared(
      'the service and the database by the yardstick, the last tenth to the second',
      'yardsticks/charge',
      last.yardsticksPerCharge,
      second.yardsticksPerCharge,
      targeted(CHEAP),
    ),
    ...PROCESSES.map((name) =>
      compared(
        `memory of ${CALLED[name]}, the last tenth to the second`,
        'MiB',
        last.mib[name],
        second.mib[name],
        name === 'service' ? targeted(FLAT) : null,
      ),
    ),
    compared('used heap of the service, the last tenth to the second', 'MiB', last.heapMiB, second.heapMiB),
  ];
}

/** Disk, journal and chain, for each subscription and for each cycle. */
export function sizeRows(
  { before, after, ledger }: { readonly before: Sizes; readonly after: Sizes; readonly ledger: Ledger },
  count: number,
): Row[] {
  const each = (name: string, bytes: number): Row => counted(name, 'bytes', bytes / count);
  return [
    each('a subscription: data', before.data),
    each('a subscription: data on disk, compressed', before.storage),
    each('a subscription: indexes on disk', before.indexes),
    each('a cycle adds: data', after.data - before.data),
    each('a cycle adds: data on disk, compressed', after.storage - before.storage),
    each('a cycle adds: indexes on disk', after.indexes - before.indexes),
    each('a cycle: journal bytes of the storage', after.journal - before.journal),
    each('a cycle: oplog of a replica set, estimated', oplogBetween(before, after)),
    counted('a cycle: documents written', 'documents', (after.writes - before.writes) / count),
    counted('the database on disk at the end', 'MiB', (after.storage + after.indexes) / MIB),
    counted('the blocks of the chain', 'MiB', ledger.bytes / MIB),
    each('a charge: bytes in blocks', ledger.bytes),
    counted('a charge: gas', 'gas', ledger.gas / count),
  ];
}
