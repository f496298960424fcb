import fc from 'fast-check';
import { messageOf } from '../../src/errors/message-of.ts';
import { endsWithSoundBooks, useStage } from '../support/stage.ts';
import * as step from './model/commands.ts';
import { Coverage, REACHABLE, REFUSED } from './model/coverage.ts';
import { Reference } from './model/reference.ts';
import { openWalker, Walk } from './model/walk.ts';
import { WRITTEN } from './model/written.ts';

/**
 * Walks over HTTP, compared step by step with a small model of the reference's section 3. Every walker has its own
 * merchant; the seeds are fixed, so that every run takes the same walks.
 */
const stage = useStage({ on: '2028-01-01', env: { TZ: 'Australia/Lord_Howe' } });

const coverage = new Coverage();

const WALKERS = [1, 2, 3, 4];
const WALKS_EACH = 4;
const STEPS_MAX = 10;

/** The time limit for finding the shortest failing walk. */
const SHRINK_MS = 150_000;

async function walkThrough(
  steps: Iterable<step.Command>,
  walker: Awaited<ReturnType<typeof openWalker>>,
): Promise<void> {
  const walk = await Walk.begin(walker);
  const reference = new Reference(coverage, 0);
  await fc.asyncModelRun(() => ({ model: reference, real: walk }), steps);
  await walk.compareReported(reference);
}

/** fast-check names a failing random walk; this names a written one. */
function namedBy(steps: readonly step.Command[]): (error: unknown) => never {
  return (error) => {
    throw new Error(`It went wrong on the way ${steps.join(', ')}: ${messageOf(error)}`, { cause: error });
  };
}

describe('a walk of any commands', () => {
  it(
    'follows the reference in states, answers and refusals',
    async () => {
      await Promise.all(
        WALKERS.map(async (seed) => {
          const walker = await openWalker(await stage().createMerchant(), coverage);
          const written = WRITTEN.filter((_, index) => index % WALKERS.length === seed - 1);
          for (const steps of written) await walkThrough(steps, walker).catch(namedBy(steps));
          const further = fc.commands(step.STEPS, { maxCommands: STEPS_MAX, size: 'max' });
          const walks = fc.asyncProperty(step.BEGINNINGS, further, (beginning, steps) =>
            walkThrough([...beginning, ...steps], walker),
          );
          await fc.assert(walks, { seed, numRuns: WALKS_EACH, interruptAfterTimeLimit: SHRINK_MS, verbose: 1 });
        }),
      );
    },
    SHRINK_MS + 30_000,
  );

  it(`takes all ${REACHABLE.length} possible transitions, and no other`, () => {
    expect(coverage.transitions()).toEqual([...REACHABLE].sort());
  });

  it(`gets all ${REFUSED.length} refusals, and no other`, () => {
    expect(coverage.refused()).toEqual([...REFUSED].sort());
  });
});

endsWithSoundBooks(stage);
