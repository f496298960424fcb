import type { BenchRun } from './bench.ts';
import { median, meets, type Row, type Target } from './row.ts';

/** Measures one side for a moment, and returns its figure in the contest's unit. */
export type Side = () => Promise<number>;

export interface Contest {
  readonly name: string;
  readonly unit: string;
  readonly product: Side;
  /** The file that makes it names its code and options. */
  readonly baseline: Side;
  /** For the ratio; absent or null: none. */
  readonly target?: Target | null;
  /** At least 5, the default. */
  readonly rounds?: number;
  /** Turns of both sides within a round, 1 by default. Figures are means: other work affects both sides alike. */
  readonly turns?: number;
}

const ROUNDS_MIN = 5;

/**
 * Measures product and baseline in one run: one warm-up round that does not count, then rounds in which they take
 * turns, with the product first in every other round. Value, baseline and ratio are medians over the rounds; each ratio
 * is that of one round. Throws the signal's reason on abort.
 */
export async function hold(run: Pick<BenchRun, 'progress' | 'signal'>, contest: Contest): Promise<Row> {
  const { name, unit, rounds = ROUNDS_MIN, turns = 1, target = null } = contest;
  if (rounds < ROUNDS_MIN) throw new Error(`${name}: ${rounds} rounds; at least ${ROUNDS_MIN} were expected`);
  run.progress.step(`${name}: warming up`);
  await roundOf(contest, 1, run.signal);
  const found: { readonly product: number; readonly baseline: number }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    run.progress.step(`${name}: round ${round} of ${rounds}`);
    found.push(await roundOf(contest, turns, run.signal));
  }
  const ratios = found.map(({ product, baseline }) => product / baseline);
  const ratio = median(ratios);
  const row: Row = {
    name,
    unit,
    value: median(found.map(({ product }) => product)),
    baseline: median(found.map(({ baseline }) => baseline)),
    ratio,
    spread: { low: Math.min(...ratios), high: Math.max(...ratios) },
    target,
    holds: meets(ratio, target),
  };
  run.progress.found(row);
  return row;
}

async function roundOf({ product, baseline }: Contest, turns: number, signal: AbortSignal) {
  const sums = { product: 0, baseline: 0 };
  for (let turn = 0; turn < turns; turn += 1) {
    signal.throwIfAborted();
    if (turn % 2 === 0) sums.product += await product();
    sums.baseline += await baseline();
    if (turn % 2 === 1) sums.product += await product();
  }
  return { product: sums.product / turns, baseline: sums.baseline / turns };
}
