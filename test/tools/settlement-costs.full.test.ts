import { spyOn } from 'jest-mock';
import { BUDGETS, startCounting } from '../../tools/bench/settlement/costs.ts';
import { withWorld } from '../../tools/bench/world.ts';
import { overBudget } from '../../tools/bench/written.ts';
import { quietRun } from './support/quiet-run.ts';

const CHARGES = 150;

/**
 * MongoDB calls for one charge of many, from its request to its event. One by one it would be some thirty; in batches
 * it is a fraction of one. On a busy machine batches are smaller, so the budget is generous, but not enough for a call
 * per charge and step.
 */
const AT_MOST = { payments: 4, cycles: 7 } as const;

/**
 * Half of the lifetime of a job's lock. After this time Agenda checks if a run is still alive, even long after it has
 * ended.
 */
const AGENDAS_CHECK_MS = 5_000;

/** The worker runs in this process, which must not wait for the checks of its last runs. */
function letGoOfAgendasPolls(): () => void {
  const set = globalThis.setTimeout;
  const spy = spyOn(globalThis, 'setTimeout').mockImplementation((run, ms, ...values) => {
    const timer = set(run, ms, ...values);
    return ms === AGENDAS_CHECK_MS ? timer.unref() : timer;
  });
  return () => spy.mockRestore();
}

it('a burst of charges shares its calls to MongoDB, and its writes stay within the budget of a charge', async () => {
  const restore = letGoOfAgendasPolls();
  const measured = withWorld(quietRun(), { evm: true }, async (world) => {
    const counting = await startCounting(world);
    for (const kind of ['payments', 'cycles'] as const) {
      const cost = await counting.costOf(kind, CHARGES);
      expect([kind, overBudget(cost, BUDGETS[kind])]).toEqual([kind, []]);
      expect(cost.roundTrips).toBeLessThanOrEqual(AT_MOST[kind]);
    }
  });
  await measured.finally(restore);
}, 240_000);
