import type { ToolRun } from '../lib/run-tool.ts';
import type { CrashOutcome } from './outcome.ts';
import { showVerdict } from './show.ts';
import { reachVerdict, type Verdict, type VerdictOptions } from './verdict.ts';
import { openWorld, type World, type WorldOptions } from './world.ts';

/** What a run has to show. */
export interface Played extends Pick<CrashOutcome, 'title'>, Partial<Pick<CrashOutcome, 'runs' | 'unreached'>> {
  readonly verdict: Verdict;
  /** Violations that no story is about. */
  readonly others: readonly string[];
}

/** Waits until everything has ended, and judges the opened world. */
export type Judge = (options?: Omit<VerdictOptions, 'signal'>) => Promise<Verdict>;

/** Shows the heading, plays in a new world, and shows the verdict. The world is stopped at the end. */
export async function playIn<P extends Played>(
  { terminal, signal }: ToolRun,
  heading: string,
  options: WorldOptions,
  play: (world: World, judge: Judge) => Promise<P>,
): Promise<CrashOutcome & Omit<P, 'verdict' | 'others'>> {
  const began = performance.now();
  terminal.line();
  terminal.line(` ${heading}`);
  const world = await openWorld(options).finally(terminal.busy('starting database, chain and a merchant'));
  try {
    const judge: Judge = (how = {}) =>
      reachVerdict(world, { signal, ...how }).finally(terminal.busy('waiting until everything has ended'));
    const { verdict: found, others, ...own } = await play(world, judge);
    const violations = [...others.map((what) => ({ about: null, what })), ...found.violations];
    const verdict = { ...found, violations };
    showVerdict(verdict, terminal);
    return { runs: [], unreached: [], ...own, verdicts: [verdict], ms: Math.round(performance.now() - began) };
  } finally {
    await world.stop();
  }
}
