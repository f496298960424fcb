import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import type { BenchRun } from '../bench.ts';
import { hold } from '../contest.ts';
import { counted, type Row } from '../row.ts';
import type { World } from '../world.ts';
import type { Arena } from './arena.ts';

const status = z.object({ pid: z.coerce.number().int() });

/** Cores of this machine, as `taskset` writes them. */
interface Split {
  readonly name: string;
  readonly workers: string;
  readonly database: string;
}

const SPLITS: readonly Split[] = [
  { name: 'two workers to one, all on two cores with the database', workers: '0,1', database: '0,1' },
  // On a machine of two cores, one of them is the most that workers can have without the database.
  { name: 'two workers to one, on a core without the database', workers: '0', database: '1' },
];

/**
 * Two workers beside one on the same cores: what they lose to each other. Without `taskset` the rows say that they were
 * skipped.
 */
export async function onSameCores(
  world: World,
  run: BenchRun,
  { one, two, cycles }: { readonly one: Arena; readonly two: Arena; readonly cycles: number },
): Promise<Row[]> {
  const { pid } = status.parse(await world.mongo.db('admin').command({ serverStatus: 1 }));
  const workers = [...one.pids, ...two.pids];
  const rows: Row[] = [];
  try {
    for (const split of SPLITS) {
      const isPinned = pin([pid], split.database) && pin(workers, split.workers);
      rows.push(isPinned ? await contest(split, run, { one, two, cycles }) : skipped(split));
    }
  } finally {
    pin([pid, ...workers], `0-${availableParallelism() - 1}`);
  }
  return rows;
}

function contest(
  { name }: Split,
  run: BenchRun,
  { one, two, cycles }: { readonly one: Arena; readonly two: Arena; readonly cycles: number },
): Promise<Row> {
  return hold(
    {
      name: `${cycles} cycles: ${name}`,
      unit: 'cycles/s',
      rounds: 5,
      turns: 1,
      product: () => two.open(cycles),
      baseline: () => one.open(cycles),
      target: run.size === 'full' ? { atLeast: 1 } : null,
    },
    run,
  );
}

function skipped({ name }: Split): Row {
  return counted(`${name}: skipped, because taskset could not pin the processes`, 'cycles/s', 0);
}

/** Restricts all threads of these processes to these cores. False: this machine cannot. */
function pin(pids: readonly number[], cores: string): boolean {
  return pids.every((pid) => spawnSync('taskset', ['-a', '-c', '-p', cores, String(pid)]).status === 0);
}
