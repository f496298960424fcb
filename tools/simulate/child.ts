import { serve } from '../lib/child.ts';
import type { Breakage } from './breakages.ts';
import type { Outcome } from './outcome.ts';
import { simulate } from './run.ts';

interface Seeds {
  readonly seeds: readonly number[];
  readonly breakage: Breakage | null;
  readonly hasSieges: boolean;
}

/** This process runs the seeds of each order one after the other. */
function open() {
  const run = async ({ seeds, ...options }: Seeds): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (const seed of seeds) outcomes.push(await simulate(seed, options));
    return outcomes;
  };
  return { run };
}
export type SeedRunner = typeof open;

// Ctrl-C goes to every process of the group. This one ignores it, so that it can still answer.
process.on('SIGINT', () => undefined);
serve(open);
