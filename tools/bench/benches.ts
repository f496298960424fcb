import type { TemporaryDevnetOptions } from '../../stage/temporary-devnet.ts';
import { keys } from './api/keys.ts';
import { lists } from './api/lists.ts';
import { throughput } from './api/throughput.ts';
import type { Bench, BenchRun } from './bench.ts';
import { checkoutVisits } from './checkout.ts';
import { cyclesOpened } from './claim/cycles.ts';
import { footprint } from './footprint.ts';
import { month } from './month.ts';
import { restarts } from './recovery.ts';
import type { Row } from './row.ts';
import { dueScan } from './scan.ts';
import { costsPerCharge } from './settlement/costs.ts';
import { cycleRace, mandateRace, paymentRace } from './settlement/evm-race.ts';
import { start } from './start.ts';
import { events } from './transition/events.ts';
import { backlog } from './webhooks/backlog.ts';
import { hanging } from './webhooks/hanging.ts';
import { history } from './webhooks/history.ts';
import { deliveries } from './webhooks/throughput.ts';
import { type World, withWorld } from './world.ts';

/** Every benchmark, in the order in which they run. */
export const BENCHES: readonly Bench[] = [
  {
    name: 'transition',
    about: 'events taken per second beside the raw driver, one by one and many at once',
    parts: [on({}, events)],
  },
  {
    name: 'scan',
    about: 'finding 100 due subscriptions among many and among few, documents examined',
    parts: [on({}, dueScan)],
  },
  {
    name: 'claim',
    about: 'cycles opened per second beside an Agenda job per subscription, and by four processes',
    parts: [on({}, cyclesOpened)],
  },
  {
    name: 'api',
    about: 'requests per second beside a bare Express app, lists and keys by number',
    parts: [on({}, throughput), on({}, keys), on({}, lists)],
  },
  {
    name: 'settlement',
    about: 'charges per second from request to event beside plain senders, round trips',
    parts: [paymentRace, cycleRace, mandateRace, costsPerCharge].map((part) => on({ evm: true }, part)),
  },
  {
    name: 'webhooks',
    about:
      'signed, recorded deliveries per second beside a bare pool, a backlog, an endpoint that hangs, a long history',
    parts: [deliveries, backlog, hanging, history].map((part) => on({}, part)),
  },
  {
    name: 'footprint',
    about: "the service's memory with many subscriptions and with few, bytes on disk of each",
    parts: [on({}, footprint)],
  },
  {
    name: 'recovery',
    about: 'first answer and last charge after kill -9, with many subscriptions and with few',
    parts: [(run) => withWorld(run, { evm: true }, (few) => on({ evm: true }, (many) => restarts(few, many))(run))],
  },
  {
    name: 'start',
    about: 'the service until it serves, against its database and chains alone',
    parts: [start],
  },
  {
    name: 'checkout',
    about: 'a first visit of the checkout on a slow phone: until it is seen and usable, requests, bytes',
    parts: [checkoutVisits],
  },
  {
    name: 'month',
    about:
      'many subscriptions, all due on the first of the month: pace, memory and disk from the first charge to the last',
    takesCount: true,
    parts: [on({ evm: true, isEvmLarge: true }, month)],
  },
];

/** A part on a world of its own. */
function on(options: TemporaryDevnetOptions, part: (world: World) => Promise<readonly Row[]>) {
  return (run: BenchRun): Promise<readonly Row[]> => withWorld(run, options, part);
}
