import type { FaultHook } from '../../src/engine/faults.ts';
import { openStage, type Stage } from './support/stage.ts';

const INTERNAL = { status: 500, message: 'Internal error' };

let stage: Stage;
afterEach(() => stage.end());

/** A paid subscription. */
async function paid(fault?: FaultHook): Promise<void> {
  stage = await openStage(fault && { fault });
  stage.begin();
  await stage.advance({ status: 'active' });
}

function reserves(): Promise<void> {
  const [{ engine } = {}] = stage.processes;
  if (!engine) throw new Error('the stage has no process');
  return engine.quarantine('subscription', stage.id, 'a test');
}

describe('an advance of a subscription in quarantine', () => {
  it.each([{}, { days: 3 }, { days: 40 }, { status: 'past_due' }, { status: 'canceled' }] as const)(
    'answers 500, and does not claim that the clock was moved: %j',
    async (how) => {
      await paid();
      await reserves();
      await expect(stage.advance(how)).rejects.toMatchObject(INTERNAL);
    },
  );

  it('answers 500 even if it was quarantined on the way', async () => {
    let isNext = false;
    await paid(async () => {
      if (!isNext) return;
      isNext = false;
      await reserves();
    });
    isNext = true;
    await expect(stage.advance({ days: 800 })).rejects.toMatchObject(INTERNAL);
  });
});
