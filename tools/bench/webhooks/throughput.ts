import { hold } from '../contest.ts';
import { counted, median, type Row, type Target } from '../row.ts';
import type { World } from '../world.ts';
import { combined, type Written, writtenRows } from '../written.ts';
import { type Deliver, openSides } from './sides.ts';

const AT_LEAST = 0.45;
const TRIPS_AT_MOST = 1;

/**
 * The most that a delivery of many may cost: the resource, its event with the delivery, and an emptied outbox. An event
 * whose first attempt takes so long that it is stored before the answer is updated once more.
 */
export const DELIVERY_BUDGET: Written = { inserted: 2.2, updated: 2.2, deleted: 0, commits: 3, journaled: 4_000 };
const ROUNDS = { quick: { rounds: 5, turns: 1 }, full: { rounds: 7, turns: 2 } } as const;
/**
 * So many that a turn of the bare pool takes longer than a second. Then other work on the machine affects all turns.
 */
const EVENTS = { quick: 4_000, full: 16_000 } as const;

/**
 * Signed, recorded deliveries per second to one receiver that verifies them, beside a bare pool that posts the same
 * bytes and records nothing; and beside a pool that records, which shows the database's part of the difference.
 */
export async function deliveries(world: World): Promise<Row[]> {
  world.progress.step('webhooks: starting both sides');
  const { product, baseline, recording } = await openSides(world, 'webhooks');
  const events = EVENTS[world.size];
  const roundTrips: number[] = [];
  const written: Written[] = [];
  const measured = async () => {
    const { perSecond, roundTripsEach, writtenEach } = await product(events);
    roundTrips.push(roundTripsEach);
    written.push(writtenEach);
    return perSecond;
  };
  const beside = (name: string, rival: Deliver, target: Target | null): Promise<Row> => {
    const sides = { product: measured, baseline: async () => (await rival(events)).perSecond };
    return hold(world, { name, unit: 'deliveries/s', target, ...sides, ...ROUNDS[world.size] });
  };
  const plain = await beside('deliveries to one endpoint', baseline, { atLeast: AT_LEAST });
  const recorded = await beside('the same beside a bare pool that records', recording, null);
  const per = `delivery of ${events}`;
  return [
    plain,
    recorded,
    counted(`MongoDB calls per ${per}`, 'round trips', median(roundTrips), { atMost: TRIPS_AT_MOST }),
    ...writtenRows(
      per,
      written.reduce((one, other) => combined(one, other, Math.min)),
      DELIVERY_BUDGET,
    ),
  ];
}
