import { inspect } from 'node:util';
import { MongoClient } from 'mongodb';
import { MACHINES } from '../../../machines/versions.ts';
import { ChargeAdmission } from '../../../src/billing/due/charge-admission.ts';
import { dueEventsFor } from '../../../src/billing/due/due-events.ts';
import { openCharge } from '../../../src/billing/subscriptions/effects/open-charge.ts';
import { buildCatalog } from '../../../src/chains/catalog.ts';
import { MandateReader } from '../../../src/chains/mandate-reader.ts';
import { createChains } from '../../../src/chains/registry.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { noFaults } from '../../../src/engine/faults.ts';
import { type JobWork, recurringJobs, startClock } from '../../../src/jobs/clock.ts';
import { isAwaited } from '../../../src/model/awaited.ts';
import { EVERY_PARTITION } from '../../../src/store/documents.ts';
import { openMongoStore } from '../../../src/store/mongo/store.ts';
import { handlersOf } from '../handlers.ts';
import { type Opener, openOnOrder } from './orders.ts';
import { stillChain } from './still-chain.ts';

/**
 * The product of `claim`, in its own process: the parts of a service's worker that open cycles. These are the store,
 * the engine, the rules of due subscriptions, the effect that makes a cycle's payment, and Agenda's recurring jobs for
 * the groups of partitions. It stops before a charge goes to a chain: no chain is part of this.
 *
 * Arguments: URI, database, id of the playing chain. It answers each `ClaimOrder` with a `claimAnswer`; the jobs run
 * between `work` and `rest`.
 */
const TICK_MS = 500;
const REST_MS = 5_000;

async function open([uri = '', dbName = '', chainId = '']: readonly string[]): Promise<Opener> {
  const troubles: string[] = [];
  const note = (fields: object, message: string) => void troubles.push(`${message} ${inspect(fields)}`);
  // Warnings do not count: that work is tried again, such as a job whose lock ran out on a busy machine.
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: note };
  const clock = () => new Date();
  const store = await openMongoStore({ uri, dbName, log });
  const common = {
    store,
    mandates: new MandateReader(store.records),
    clock,
    log,
    catalog: buildCatalog(),
    chains: createChains([stillChain(Number(chainId))]),
  };
  const engine = new Engine({ store, clock, log, fault: noFaults, machines: MACHINES, dispatchesDue: true }, (made) => {
    const payoutsOf = async () => ({ destination: () => PAYOUT, destinations: () => [] });
    const billing = { ...common, engine: made, payoutsOf, platformWallets: { evm: PAYOUT, solana: null } };
    return {
      admits: (effect) => effect.type !== 'webhook.emit',
      isAwaited,
      dueEvents: dueEventsFor({ ...billing, deposits: { survey: async () => new Map() } }),
      admit: new ChargeAdmission(billing).admit,
      handlers: handlersOf({
        'charge.open': openCharge(billing),
        'charge.request': async (items) => items.map(() => 'done'),
      }),
    };
  });
  const client = await MongoClient.connect(uri, { retryWrites: false, maxPoolSize: 8 });
  const jobs = recurringJobs(workOf(engine), TICK_MS);
  const start = async () => {
    const running = await startClock({ db: client.db(dbName), jobs, tickMs: TICK_MS, log });
    return async () => {
      await running.stop(REST_MS);
      while (engine.isBusy()) await new Promise((resolve) => setImmediate(resolve));
    };
  };
  return { troubles, start };
}

const PAYOUT = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

function workOf(engine: Engine): JobWork {
  const nothing = async () => undefined;
  return {
    dispatchDue: async (touch) => {
      await engine.dispatchDue('subscription', touch);
    },
    relay: async (touch) => {
      for (const from of ['subscription', 'payment'] as const) {
        while ((await engine.relayLeftBehind(from, EVERY_PARTITION)) > 0) await touch();
      }
    },
    check: nothing,
    reservations: nothing,
    audit: nothing,
    upcasts: nothing,
  };
}

openOnOrder(open(process.argv.slice(2)));
