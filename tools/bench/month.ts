import type { Bench, BenchRun, Size } from './bench.ts';
import { firstOfMonth } from './month/first-of-month.ts';
import { withWorld } from './world.ts';

const COUNTS: Readonly<Record<Size, number>> = { quick: 2_000, full: 1_000_000 };
const USUAL = 20_000;

/** Shows growth: many subscriptions are due at one moment, and drained to the end. */
export const month: Bench = {
  name: 'month',
  about:
    'many subscriptions, all due on the first of the month: pace, memory and disk from the first charge to the last',
  takesCount: true,
  run: (run) => withWorld((world) => firstOfMonth(world, run, countOf(run)), { evm: true, isEvmLarge: true }),
};

function countOf({ asked }: Pick<BenchRun, 'asked'>): number {
  if (asked === null) return USUAL;
  return typeof asked === 'number' ? asked : COUNTS[asked];
}
