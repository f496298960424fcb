import type { BenchRun } from '../bench.ts';
import { hold } from '../contest.ts';
import { counted, type Row } from '../row.ts';
import type { World } from '../world.ts';
import { type Arena, agendaArena, bulkArena, openedTwice, workersArena } from './arena.ts';

const PROCESSES = 4;
/** The number of cycles that fall due at one moment; fewer for Agenda, because it is much slower. */
const COUNTS = { quick: { cycles: 1_000, jobs: 150 }, full: { cycles: 10_000, jobs: 2_000 } } as const;

const COMMON = { unit: 'cycles/s', rounds: 5, turns: 1 } as const;

/**
 * Opened cycles (subscription moved, payment made, both journaled) per second, from the first write to the last: one worker
 * beside Agenda with a job per subscription; with `--full`, the same writes in bulk, as an upper limit; and four workers beside
 * one. At the end every cycle is counted.
 */
export async function cyclesOpened(world: World, run: BenchRun): Promise<Row[]> {
  run.progress.step('claim: starting workers');
  const { cycles, jobs } = COUNTS[run.size];
  const agenda = await agendaArena(world, 'agenda');
  const one = await workersArena(world, 'one', 1);
  const four = await workersArena(world, 'four', PROCESSES);
  const rows = [
    await hold(
      {
        ...COMMON,
        name: `${cycles} cycles to an Agenda job per subscription`,
        product: () => one.open(cycles),
        baseline: () => agenda.open(jobs),
        target: { atLeast: 10 },
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
  ];
  const twice = (await openedTwice(one)) + (await openedTwice(four));
  const once = counted('cycles opened twice', 'cycles', twice, { atMost: 0 });
  run.progress.found(once);
  return [...rows, once];
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
