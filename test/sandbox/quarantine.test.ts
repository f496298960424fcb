import type { FaultHook } from '../../src/engine/faults.ts';
import { Sandboxed } from './support/sandboxed.ts';

const INTERNAL = { status: 500, message: 'Internal error' };

let sandboxed: Sandboxed;

/** A paid subscription. */
async function paid(fault?: FaultHook): Promise<void> {
  sandboxed = await Sandboxed.open(fault && { fault });
  sandboxed.charges.endAtOnce();
  await sandboxed.advance({ status: 'active' });
}

function reserves(): Promise<void> {
  return sandboxed.merchant.billing.engine.quarantine('subscription', sandboxed.id, 'a test');
}

describe('an advance of a subscription in quarantine', () => {
  it.each([{}, { days: 3 }, { days: 40 }, { status: 'past_due' }, { status: 'canceled' }] as const)(
    'answers 500, and does not claim that the clock was moved: %j',
    async (how) => {
      await paid();
      await reserves();
      await expect(sandboxed.advance(how)).rejects.toMatchObject(INTERNAL);
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
    await expect(sandboxed.advance({ days: 800 })).rejects.toMatchObject(INTERNAL);
  });
});
