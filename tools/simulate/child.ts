import { z } from 'zod';
import { BREAKAGES } from './breakages.ts';
import type { Outcome } from './outcome.ts';
import { simulate } from './run.ts';

/** Runs the seeds that it is told, one after the other, and answers with what came of them. */
const order = z.object({ seeds: z.array(z.number()), breakage: z.enum(BREAKAGES).nullable() });

process.on('message', (message) => {
  const { seeds, breakage } = order.parse(message);
  void (async () => {
    const outcomes: Outcome[] = [];
    for (const seed of seeds) outcomes.push(await simulate(seed, { breakage }));
    process.send?.(outcomes);
  })();
});
// A terminal's Ctrl-C comes to every process of its group: what has been run by then is still answered.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());
