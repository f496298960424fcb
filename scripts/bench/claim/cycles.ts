import type { BenchRun } from '../bench.ts';
import { hold } from '../contest.ts';
import { counted, type Row } from '../row.ts';
import type { World } from '../world.ts';
import { agendaArena, bulkArena, openedTwice, workersArena } from './arena.ts';

const PROCESSES = 4;
/** Cycles that fall due at one moment; Agenda opens fewer, it is so much slower. */
const COUNTS = { quick: { cycles: 2_000, jobs: 300 }, full: { cycles: 10_000, jobs: 2_000 } } as const;

/**
 * Cycles opened (subscription moved, payment made, both journaled) per second, from the first write to the last: one worker
 * beside Agenda with a job per subscription, the same writes in bulk beside that, for what a worker could come to at most, and
 * four workers beside one. In the end every cycle is counted.
 */
export async function cyclesOpened(world: World, run: BenchRun): Promise<Row[]> {
  run.progress.step('claim: starting workers');
  const { cycles, jobs } = COUNTS[run.size];
  const agenda = await agendaArena(world, 'agenda');
  const one = await workersArena(world, 'one', 1);
  const bulk = await bulkArena(world, 'bulk');
  const four = await workersArena(world, 'four', PROCESSES);
  const common = { unit: 'cycles/s', rounds: 5, turns: 1 };
  const rows = [
    await hold(
      {
        ...common,
        name: `${cycles} cycles to an Agenda job per subscription`,
        product: () => one.open(cycles),
        baseline: () => agenda.open(jobs),
        target: { atLeast: 10 },
      },
      run,
    ),
    await hold(
      {
        ...common,
        name: 'the same writes in bulk, without machine or outbox, to that',
        product: () => bulk.open(cycles),
        baseline: () => agenda.open(jobs),
        target: null,
      },
      run,
    ),
    await hold(
      {
        ...common,
        name: `${cycles} cycles by ${PROCESSES} processes to one`,
        product: () => four.open(cycles),
        baseline: () => one.open(cycles),
        target: { atLeast: 0.9 },
      },
      run,
    ),
  ];
  const twice = (await openedTwice(one)) + (await openedTwice(four));
  const once = counted('cycles opened twice', 'cycles', twice, { atMost: 0 });
  run.progress.found(once);
  return [...rows, once];
}
