import fc from 'fast-check';
import { messageOf } from '../../src/errors/message-of.ts';
import * as step from './model/commands.ts';
import { Coverage, REACHABLE, REFUSED } from './model/coverage.ts';
import { Reference } from './model/reference.ts';
import { openWalker, Walk } from './model/walk.ts';
import { WRITTEN } from './model/written.ts';
import { endsWithSoundBooks, storyTown } from './support/town.ts';

/**
 * Walks over HTTP, held step by step against a small model of the reference's section 3. Every walker has its own merchant; the
 * seeds are fixed, so that every run walks the same ways.
 */
const town = storyTown({ on: '2028-01-01', timezone: 'Australia/Lord_Howe' });

const coverage = new Coverage();

const WALKERS = [1, 2, 3, 4];
const WALKS_EACH = 4;
const STEPS_MAX = 10;

/** When a walk goes wrong, this is how long it may take to find the shortest that does. */
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

/** fast-check says which way went wrong; of one that was written, this does. */
function namedBy(steps: readonly step.Command[]): (error: unknown) => never {
  return (error) => {
    throw new Error(`It went wrong on the way ${steps.join(', ')}: ${messageOf(error)}`, { cause: error });
  };
}

describe('a walk of whatever commands', () => {
  it(
    'leads where the reference says, as it says, and is refused what it refuses',
    async () => {
      await Promise.all(
        WALKERS.map(async (seed) => {
          const walker = await openWalker(await town().openShop(), coverage);
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

  it(`comes by all ${REACHABLE.length} transitions that there are, and by no other`, () => {
    expect(coverage.transitions()).toEqual([...REACHABLE].sort());
  });

  it(`comes by all ${REFUSED.length} refusals, and by no other`, () => {
    expect(coverage.refused()).toEqual([...REFUSED].sort());
  });
});

endsWithSoundBooks(town);
