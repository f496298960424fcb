import type { TemporaryDevnetOptions } from '../../stage/temporary-devnet.ts';
import type { Bench, BenchRun } from './bench.ts';
import { checkoutVisits } from './checkout.ts';
import { month } from './month.ts';
import type { Row } from './row.ts';
import { costsPerCharge } from './settlement/costs.ts';
import { cycleRace, mandateRace, paymentRace } from './settlement/evm-race.ts';
import { start } from './start.ts';
import { deliveries } from './webhooks/throughput.ts';
import { type World, withWorld } from './world.ts';

/** Every benchmark, in the order in which they run. */
export const BENCHES: readonly Bench[] = [
  {
    name: 'settlement',
    about: 'charges per second from request to event beside plain senders, round trips',
    parts: [paymentRace, cycleRace, mandateRace, costsPerCharge].map((part) => on({ evm: true }, part)),
  },
  {
    name: 'webhooks',
    about: 'signed, recorded deliveries per second beside a bare pool',
    parts: [on({}, deliveries)],
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

function on(options: TemporaryDevnetOptions, part: (world: World) => Promise<readonly Row[]>) {
  return (run: BenchRun): Promise<readonly Row[]> => withWorld(run, options, part);
}
