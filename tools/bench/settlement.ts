import type { Bench } from './bench.ts';
import { burst } from './settlement/burst.ts';
import { costsPerCharge } from './settlement/costs.ts';
import { evmRaces } from './settlement/evm/race.ts';
import { solanaRace } from './settlement/solana/race.ts';
import { withWorld } from './world.ts';

/**
 * The speed of charges from request to event. Only `--full` checks that a burst drains as fast at its end as at its beginning,
 * because a small burst is over too soon.
 */
export const settlement: Bench = {
  name: 'settlement',
  about: 'charges per second from request to event beside plain senders, one large burst, round trips',
  run: async (run) => [
    ...(await evmRaces(run)),
    ...(run.size === 'full' ? await withWorld((world) => burst(world, run), { evm: true }) : []),
    ...(await withWorld((world) => costsPerCharge(world, run), { evm: true })),
    ...(await withWorld((world) => solanaRace(world, run), { evm: true, solana: true })),
  ],
};
