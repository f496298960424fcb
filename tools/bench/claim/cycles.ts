import type { BenchRun } from '../bench.ts';
import { hold } from '../contest.ts';
import { counted, type Row } from '../row.ts';
import type { World } from '../world.ts';
import { type Arena, agendaArena, bulkArena, openedTwice, workersArena } from './arena.ts';
import { IDLE_BUDGET, idleCallsPerTick } from './idle.ts';
import { onSameCores } from './pinned.ts';

const PROCESSES = 4;
/** The number of cycles that fall due at one moment; fewer for Agenda, because it is much slower. */
const COUNTS = { quick: { cycles: 1_000, jobs: 150 }, full: { cycles: 10_000, jobs: 2_000 } } as const;

const COMMON = { unit: 'cycles/s', rounds: 5, turns: 1 } as const;

/**
 * Opened cycles (subscription moved, payment made, both journaled) per second, from the first write to the last: one
 * worker beside Agenda with a job per subscription; with `--full`, the same writes in bulk, as an upper limit; and four
 * workers beside one, and two beside one on the same cores. At the end every cycle is counted. Before that, what idle
 * workers ask of the database.
 */
export async function cyclesOpened(world: World, run: BenchRun): Promise<Row[]> {
  run.progress.step('claim: starting workers');
  const { cycles, jobs } = COUNTS[run.size];
  const agenda = await agendaArena(world, 'agenda');
  const one = await workersArena(world, 'one', 1);
  const two = await workersArena(world, 'two', 2);
  const four = await workersArena(world, 'four', PROCESSES);
  const rows = [
    ...(await idle(world, run)),
    await hold(
      {
        ...COMMON,
        name: `${cycles} cycles to an Agenda job per subscription`,
        product: () => one.open(cycles),
        baseline: () => agenda.open(jobs),
        target: { atLeast: 6 },
      },
      run,
    ),
    ...(run.size === 'full' ? [await inBulk(world, run, agenda)] : []),
    await hold(
      {
        ...COMMON,
        name: `${cycles} cycles by ${PROCESSES} processes to one`,
        product: () => four.open(cycles),
        baseline: () => one.open(cycles),
        // A quick run ends within a second, half of it polling, so its figure has no target.
        target: run.size === 'full' ? { atLeast: 0.9 } : null,
      },
      run,
    ),
    ...(await onSameCores(world, run, { one, two, cycles })),
  ];
  const twice = (await openedTwice(one)) + (await openedTwice(two)) + (await openedTwice(four));
  return [...rows, counted('cycles opened twice', 'cycles', twice, { atMost: 0 })];
}

const TICKS = 20;

async function idle(world: World, run: BenchRun): Promise<Row[]> {
  const rows: Row[] = [];
  for (const workers of [1, PROCESSES]) {
    run.progress.step(`claim: ${TICKS} ticks of ${workers} idle workers`);
    const stops: (() => Promise<unknown>)[] = [];
    const { mongoUri } = world;
    const onStop = (stop: () => Promise<unknown>) => void stops.push(stop);
    const calls = await idleCallsPerTick({ mongoUri, dbName: `idle-${workers}`, onStop }, workers, TICKS);
    for (const stop of stops.reverse()) await stop();
    const atMost = IDLE_BUDGET.first + (workers - 1) * IDLE_BUDGET.further;
    rows.push(counted(`MongoDB calls per tick, jobs of idle workers: ${workers}`, 'round trips', calls, { atMost }));
  }
  return rows;
}

/** This figure depends on Agenda, the driver and the database, but not on the product, so not every run needs it. */
async function inBulk(world: World, run: BenchRun, agenda: Arena): Promise<Row> {
  const { cycles, jobs } = COUNTS[run.size];
  const bulk = await bulkArena(world, 'bulk');
  return hold(
    {
      ...COMMON,
      name: 'the same writes in bulk, without machine or outbox, to that',
      product: () => bulk.open(cycles),
      baseline: () => agenda.open(jobs),
      target: null,
    },
    run,
  );
}
