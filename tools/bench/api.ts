import { keys } from './api/keys.ts';
import { lists } from './api/lists.ts';
import { roundTrips } from './api/round-trips.ts';
import { throughput } from './api/throughput.ts';
import type { Bench } from './bench.ts';
import { withWorld } from './world.ts';

/** The cost of the API around its MongoDB calls, and its independence of sizes. */
export const api: Bench = {
  name: 'api',
  about: 'requests per second beside a bare Express app, lists and keys by number, round trips',
  run: async (run) => [
    ...(await withWorld((world) => throughput(world, run))),
    await withWorld((world) => keys(world, run)),
    ...(await withWorld((world) => lists(world, run))),
    ...(await roundTrips(run)),
  ],
};
