import type { Bench } from './bench.ts';
import { costsPerCharge } from './settlement/costs.ts';
import { evmRaces } from './settlement/evm/race.ts';
import { solanaRace } from './settlement/solana/race.ts';
import { withWorld } from './world.ts';

/** The speed of charges from request to event. `month` shows that many of them drain as fast at their end as at their beginning. */
export const settlement: Bench = {
  name: 'settlement',
  about: 'charges per second from request to event beside plain senders, round trips',
  run: async (run) => [
    ...(await evmRaces(run)),
    ...(await withWorld((world) => costsPerCharge(world, run), { evm: true })),
    ...(await withWorld((world) => solanaRace(world, run), { evm: true, solana: true })),
  ],
};
