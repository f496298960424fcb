import type { Bench } from './bench.ts';
import { burst } from './settlement/burst.ts';
import { evmRaces } from './settlement/evm/race.ts';
import { roundTripsPerCharge } from './settlement/round-trips.ts';
import { solanaRace } from './settlement/solana/race.ts';
import { withWorld } from './world.ts';

/**
 * How fast charges go through the service, from their request to the event that tells of them. Whether a burst drains as fast
 * at its end as at its beginning is asked with `--full` alone: a small one is over before it can be said.
 */
export const settlement: Bench = {
  name: 'settlement',
  about: 'charges per second from request to event beside plain senders, one large burst, round trips',
  run: async (run) => [
    ...(await evmRaces(run)),
    ...(run.size === 'full' ? await withWorld((world) => burst(world, run), { evm: true }) : []),
    ...(await withWorld((world) => roundTripsPerCharge(world, run), { evm: true })),
    ...(await withWorld((world) => solanaRace(world, run), { evm: true, solana: true })),
  ],
};
