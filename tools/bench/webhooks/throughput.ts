import { hold } from '../contest.ts';
import { counted, median, type Row } from '../row.ts';
import type { World } from '../world.ts';
import { combined, type Written, writtenRows } from '../written.ts';
import { openSides } from './sides.ts';

const AT_LEAST = 0.45;
const TRIPS_AT_MOST = 1;

/**
 * The most that a delivery of many may cost: the resource, its outbox, which is removed, and its event with the
 * delivery. An event whose first attempt takes so long that it is stored before the answer is updated once.
 */
export const DELIVERY_BUDGET: Written = { inserted: 3.2, updated: 1.2, deleted: 1.2, commits: 1.5, journaled: 3_500 };
const ROUNDS = { quick: { rounds: 5, turns: 1 }, full: { rounds: 7, turns: 2 } } as const;
/** A turn of the bare pool takes longer than a second, so that other work on the machine affects all turns. */
const EVENTS = { quick: 4_000, full: 16_000 } as const;

/** To one receiver that verifies them, beside a bare pool that posts the same bytes and records nothing. */
export async function deliveries(world: World): Promise<Row[]> {
  world.progress.step('webhooks: starting both sides');
  const { product, baseline } = await openSides(world, 'webhooks');
  const events = EVENTS[world.size];
  const roundTrips: number[] = [];
  const written: Written[] = [];
  const row = await hold(world, {
    name: 'deliveries to one endpoint',
    unit: 'deliveries/s',
    product: async () => {
      const { perSecond, roundTripsEach, writtenEach } = await product(events);
      roundTrips.push(roundTripsEach);
      written.push(writtenEach);
      return perSecond;
    },
    baseline: async () => (await baseline(events)).perSecond,
    target: { atLeast: AT_LEAST },
    ...ROUNDS[world.size],
  });
  const per = `delivery of ${events}`;
  return [
    row,
    counted(`MongoDB calls per ${per}`, 'round trips', median(roundTrips), { atMost: TRIPS_AT_MOST }),
    ...writtenRows(
      per,
      written.reduce((one, other) => combined(one, other, Math.min)),
      DELIVERY_BUDGET,
    ),
  ];
}
