import type { Bench } from './bench.ts';
import { throughput } from './webhooks/throughput.ts';
import { withWorld } from './world.ts';

/** What it costs to sign, deliver and record an event. */
export const webhooks: Bench = {
  name: 'webhooks',
  about: 'signed, recorded deliveries per second beside a bare pool that posts the same bytes',
  run: async (run) => [await withWorld((world) => throughput(world, run))],
};
