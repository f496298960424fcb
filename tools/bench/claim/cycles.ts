import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { hold } from '../contest.ts';
import { pidOf } from '../processes.ts';
import { counted, type Row, type Target } from '../row.ts';
import type { World } from '../world.ts';
import { type Arena, agendaArena, openedTwice, workersArena } from './arena.ts';
import { IDLE_BUDGET, idleCallsPerTick } from './idle.ts';

const PROCESSES = 4;
/** The number of cycles that fall due at one moment; fewer for Agenda, because it is much slower. */
const COUNTS = { quick: { cycles: 1_000, jobs: 150 }, full: { cycles: 10_000, jobs: 2_000 } } as const;

/**
 * Opened cycles (subscription moved, payment made, both journaled) per second, from the first write to the last: one
 * worker beside Agenda with a job per subscription, four workers beside one, and two beside one on the same cores. At
 * the end every cycle is counted. Before that, what idle workers ask of the database.
 */
export async function cyclesOpened(world: World): Promise<Row[]> {
  world.progress.step('claim: starting workers');
  const isFull = world.size === 'full';
  const { cycles, jobs } = COUNTS[world.size];
  const agenda = await agendaArena(world, 'agenda');
  const one = await workersArena(world, 'one', 1);
  const two = await workersArena(world, 'two', 2);
  const four = await workersArena(world, 'four', PROCESSES);
  const beside = (name: string, product: Arena, baseline: Arena, target: Target | null): Promise<Row> => {
    const side = (arena: Arena) => () => arena.open(arena === agenda ? jobs : cycles);
    return hold(world, { name, unit: 'cycles/s', product: side(product), baseline: side(baseline), target });
  };
  // A quick run ends within a second, half of it polling, so its figures have no target.
  const inFull = (target: Target): Target | null => (isFull ? target : null);
  const rows = await idleRows(world);
  rows.push(await beside(`${cycles} cycles to an Agenda job per subscription`, one, agenda, { atLeast: 6 }));
  const ofFour = `${cycles} cycles by ${PROCESSES} processes to one`;
  rows.push(await beside(ofFour, four, one, inFull({ atLeast: 0.9 })));
  const pinned = await onSameCores(world, [...one.pids, ...two.pids], (name) =>
    beside(`${cycles} cycles: ${name}`, two, one, inFull({ atLeast: 1 })),
  );
  const twice = (await openedTwice(one)) + (await openedTwice(two)) + (await openedTwice(four));
  return [...rows, pinned, counted('cycles opened twice', 'cycles', twice, { atMost: 0 })];
}

const TICKS = 20;

async function idleRows({ mongoUri, progress }: World): Promise<Row[]> {
  const rows: Row[] = [];
  for (const workers of [1, PROCESSES]) {
    progress.step(`claim: ${TICKS} ticks of ${workers} idle workers`);
    const calls = await idleCallsPerTick({ mongoUri, dbName: `idle-${workers}` }, workers, TICKS);
    const atMost = IDLE_BUDGET.first + (workers - 1) * IDLE_BUDGET.further;
    rows.push(counted(`MongoDB calls per tick, jobs of idle workers: ${workers}`, 'round trips', calls, { atMost }));
  }
  return rows;
}

/**
 * Workers on the same cores: what they lose to each other. Without `taskset` the row says that it was skipped.
 */
async function onSameCores(
  world: World,
  workers: readonly number[],
  measure: (name: string) => Promise<Row>,
): Promise<Row> {
  const all = [await pidOf(world.mongo), ...workers];
  const name = 'two workers to one, all on two cores with the database';
  const skipped = `${name}: skipped, because taskset could not pin the processes`;
  try {
    return pin(all, '0,1') ? await measure(name) : counted(skipped, 'cycles/s', 0);
  } finally {
    pin(all, `0-${availableParallelism() - 1}`);
  }
}

/** Restricts all threads of these processes to these cores. False: this machine cannot. */
function pin(pids: readonly number[], cores: string): boolean {
  return pids.every((pid) => spawnSync('taskset', ['-a', '-c', '-p', cores, String(pid)]).status === 0);
}
