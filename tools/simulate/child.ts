import { z } from 'zod';
import { BREAKAGES } from './breakages.ts';
import type { Outcome } from './outcome.ts';
import { simulate } from './run.ts';

/** This process runs the seeds of each message in order, and answers with their outcomes. */
const order = z.object({ seeds: z.array(z.number()), breakage: z.enum(BREAKAGES).nullable() });

process.on('message', (message) => {
  const { seeds, breakage } = order.parse(message);
  void (async () => {
    const outcomes: Outcome[] = [];
    for (const seed of seeds) outcomes.push(await simulate(seed, { breakage }));
    process.send?.(outcomes);
  })();
});
// A terminal sends Ctrl-C to every process of its group. This one ignores it, so that it can still answer with its
// outcomes.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());
