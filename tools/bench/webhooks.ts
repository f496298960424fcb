import type { Bench } from './bench.ts';
import { backlog } from './webhooks/backlog.ts';
import { hanging } from './webhooks/hanging.ts';
import { history } from './webhooks/history.ts';
import { throughput } from './webhooks/throughput.ts';
import { withWorld } from './world.ts';

/** The cost of signing, delivering and recording an event. */
export const webhooks: Bench = {
  name: 'webhooks',
  about: 'signed, recorded deliveries per second beside a bare pool, a backlog, an endpoint that hangs, a long history',
  run: async (run) => [
    ...(await withWorld((world) => throughput(world, run))),
    await withWorld((world) => backlog(world, run)),
    await withWorld((world) => hanging(world, run)),
    await withWorld((world) => history(world, run)),
  ],
};
