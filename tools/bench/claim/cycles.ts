import type { BenchRun } from '../bench.ts';
import { hold } from '../contest.ts';
import { counted, type Row } from '../row.ts';
import type { World } from '../world.ts';
import { type Arena, agendaArena, bulkArena, openedTwice, workersArena } from './arena.ts';

const PROCESSES = 4;
/** Cycles that fall due at one moment; Agenda opens fewer, it is so much slower. */
const COUNTS = { quick: { cycles: 1_000, jobs: 150 }, full: { cycles: 10_000, jobs: 2_000 } } as const;

const COMMON = { unit: 'cycles/s', rounds: 5, turns: 1 } as const;

/**
 * Cycles opened (subscription moved, payment made, both journaled) per second, from the first write to the last: one worker
 * beside Agenda with a job per subscription, the same writes in bulk beside that, for what a worker could come to at most (`--full`
 * alone), and four workers beside one. In the end every cycle is counted.
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
        // So few end within a second, and half of that is polling: the figure is shown and not judged.
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

/** It changes with Agenda, the driver and the database, and not with the product: not every day. */
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
