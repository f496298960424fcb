import { throughput } from './api/throughput.ts';
import type { Bench } from './bench.ts';
import { withWorld } from './world.ts';

/** What the API costs on the way from a request to its MongoDB call, and what it does not depend on. */
export const api: Bench = {
  name: 'api',
  about: 'requests per second beside a bare Express app, lists and keys by number, round trips',
  run: (run) => withWorld(async (world) => [...(await throughput(world, run))]),
};
