import { advance } from './advance.ts';
import { keys } from './api/keys.ts';
import { lists } from './api/lists.ts';
import { roundTrips } from './api/round-trips.ts';
import { throughput as requests } from './api/throughput.ts';
import type { Bench } from './bench.ts';
import { cyclesOpened } from './claim/cycles.ts';
import { footprint } from './footprint.ts';
import { month } from './month.ts';
import { restarts } from './recovery/restarts.ts';
import { dueScan } from './scan/due.ts';
import { costsPerCharge } from './settlement/costs.ts';
import { evmRaces } from './settlement/evm/race.ts';
import { solanaRace } from './settlement/solana/race.ts';
import { start } from './start.ts';
import { events } from './transition/events.ts';
import { backlog } from './webhooks/backlog.ts';
import { hanging } from './webhooks/hanging.ts';
import { history } from './webhooks/history.ts';
import { throughput as deliveries } from './webhooks/throughput.ts';
import { withWorld } from './world.ts';

/** Every benchmark, in the order in which they run. */
export const BENCHES: readonly Bench[] = [
  {
    name: 'transition',
    about: 'events taken per second beside the raw driver, one by one and many at once',
    run: (run) => withWorld((world) => events(world, run)),
  },
  {
    name: 'scan',
    about: 'finding 100 due subscriptions among many and among few, documents examined',
    run: (run) => withWorld((world) => dueScan(world, run)),
  },
  {
    name: 'claim',
    about: 'cycles opened per second beside an Agenda job per subscription, and by four processes',
    run: (run) => withWorld((world) => cyclesOpened(world, run)),
  },
  {
    name: 'api',
    about: 'requests per second beside a bare Express app, lists and keys by number, round trips',
    run: async (run) => [
      ...(await withWorld((world) => requests(world, run))),
      await withWorld((world) => keys(world, run)),
      ...(await withWorld((world) => lists(world, run))),
      ...(await roundTrips(run)),
    ],
  },
  advance,
  {
    name: 'settlement',
    about: 'charges per second from request to event beside plain senders, round trips',
    run: async (run) => [
      ...(await evmRaces(run)),
      ...(await withWorld((world) => costsPerCharge(world, run), { evm: true })),
      ...(await withWorld((world) => solanaRace(world, run), { evm: true, solana: true })),
    ],
  },
  {
    name: 'webhooks',
    about:
      'signed, recorded deliveries per second beside a bare pool, a backlog, an endpoint that hangs, a long history',
    run: async (run) => [
      ...(await withWorld((world) => deliveries(world, run))),
      await withWorld((world) => backlog(world, run)),
      await withWorld((world) => hanging(world, run)),
      await withWorld((world) => history(world, run)),
    ],
  },
  footprint,
  {
    name: 'recovery',
    about: 'first answer and last charge after kill -9, with many subscriptions and with few',
    run: (run) => withWorld((few) => withWorld((many) => restarts({ few, many }, run), { evm: true }), { evm: true }),
  },
  start,
  month,
];
