import { inspect } from 'node:util';
import { MongoClient } from 'mongodb';
import { silentLog } from '../../../scripts/lib/silent-log.ts';
import { ChargeAdmission } from '../../../src/billing/due/charge-admission.ts';
import { dueEventsFor } from '../../../src/billing/due/due-events.ts';
import { openCharge } from '../../../src/billing/subscriptions/effects/open-charge.ts';
import { buildCatalog } from '../../../src/chains/catalog.ts';
import { MandateReader } from '../../../src/chains/mandate-reader.ts';
import type { Chain } from '../../../src/chains/port.ts';
import { createChains } from '../../../src/chains/registry.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { type JobWork, recurringJobs, startClock } from '../../../src/jobs/clock.ts';
import { isAwaited } from '../../../src/model/awaited.ts';
import type { Log } from '../../../src/observability/log.ts';
import { quietChain } from '../../../stage/scripted-chain.ts';
import { RECEIVER, TOKEN } from '../documents.ts';
import { openEngine, untilIdle } from '../engine.ts';
import { type Opener, serveOpener } from './opener.ts';

const TICK_MS = 500;
const REST_MS = 5_000;

/**
 * The product of `claim`, in its own process: the parts of a service's worker that open cycles. These are the store,
 * the engine, the rules of due subscriptions, the effect that makes a cycle's payment, and Agenda's recurring jobs for
 * the groups of partitions. It stops before a charge goes to a chain: no chain is part of this.
 */
async function open(uri: string, dbName: string): Promise<Opener> {
  const troubles: string[] = [];
  // Warnings do not count: that work is tried again, such as a job whose lock ran out on a busy machine.
  const error = (fields: object, message: string) => void troubles.push(`${message} ${inspect(fields)}`);
  const log: Log = { ...silentLog, error };
  const { engine, workers } = await openEngine({ uri, dbName, log }, (made, parts) => {
    const billing = {
      ...parts,
      engine: made,
      ledger: null,
      mandates: new MandateReader(parts.store.records),
      catalog: buildCatalog(),
      chains: createChains([STILL_CHAIN]),
      payoutsOf: async () => ({ destination: () => RECEIVER, destinations: () => [] }),
      platformWallets: { evm: RECEIVER, solana: null },
    };
    return {
      admits: (effect) => effect.type !== 'webhook.emit',
      isAwaited,
      dueEvents: dueEventsFor({ ...billing, deposits: { survey: async () => new Map() } }),
      admit: new ChargeAdmission(billing).admit,
      handlers: {
        'charge.open': openCharge(billing),
        'charge.request': async (items) => items.map(() => 'done'),
      },
    };
  });
  const client = await MongoClient.connect(uri, { retryWrites: false, maxPoolSize: 8 });
  const work = workOf(engine);
  const jobs = recurringJobs(work, TICK_MS);
  const start = async () => {
    const running = await startClock({ db: client.db(dbName), jobs, tickMs: TICK_MS, log });
    await workers.start(work.share);
    return async () => {
      await running.stop(REST_MS);
      await workers.stop();
      await untilIdle(engine);
    };
  };
  return { troubles, start };
}

function workOf(engine: Engine): JobWork {
  const nothing = async () => undefined;
  return {
    dispatchDue: async (touch) => {
      await engine.dispatchDue('subscription', touch);
    },
    share: async () => {
      await engine.dispatchShare('subscription');
    },
    relay: async (touch) => {
      for (const from of ['subscription', 'payment'] as const) {
        while ((await engine.relayLeftBehind(from)) > 0) await touch();
      }
    },
    check: nothing,
    reservations: nothing,
    audit: nothing,
    upcasts: nothing,
    heads: nothing,
    moments: nothing,
  };
}

/** An enabled chain that charges nothing. The benchmark ends where its part would begin. */
const STILL_CHAIN: Chain = { ...quietChain(TOKEN.chainId), operatorFor: () => '' };

serveOpener(open);
