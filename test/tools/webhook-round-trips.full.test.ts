import { DELIVERY_BUDGET, openSides } from '../../tools/bench/webhooks/throughput.ts';
import { withWorld } from '../../tools/bench/world.ts';
import { overBudget } from '../../tools/bench/written.ts';
import { quietRun } from './support/quiet-run.ts';

const DELIVERIES = 300;

/**
 * MongoDB calls for one delivery of many, from the outbox of the resource to the recorded answer. One by one it would
 * be some seven; in batches it is a fraction of one. On a busy machine batches are smaller, so the budget is generous,
 * but not enough for a call per delivery and step.
 */
const AT_MOST = 2;

it('simultaneous deliveries share their calls to MongoDB, and write no more than the budget of one', async () => {
  const { roundTripsEach, writtenEach } = await withWorld(quietRun(), {}, async (world) => {
    const { product } = await openSides(world, 'deliveries');
    return product(DELIVERIES);
  });
  expect(roundTripsEach).toBeGreaterThan(0);
  expect(roundTripsEach).toBeLessThanOrEqual(AT_MOST);
  expect(overBudget(writtenEach, DELIVERY_BUDGET)).toEqual([]);
}, 240_000);
