import { setTimeout as delay } from 'node:timers/promises';
import { type DevnetFacts, devnetFacts } from '../../../scripts/lib/devnet-facts.ts';
import { staffToken } from '../../../scripts/lib/running-service.ts';
import { silentLog } from '../../../scripts/lib/silent-log.ts';
import { readConfig } from '../../../src/config/config.ts';
import { startService } from '../../../src/service/service.ts';
import type { Store } from '../../../src/store/port.ts';
import { type MerchantClient, signUp } from '../../../stage/merchant-client.ts';
import { ServiceProcesses, untilReady } from '../../../stage/processes.ts';
import { openOnDevnet, type TemporaryDevnet } from '../../../stage/temporary-devnet.ts';
import { unrelayedIn } from '../../lib/stored.ts';
import { type Written, writtenBy } from '../written.ts';

/** A service in this process that counts its MongoDB calls. */
export interface CountedService {
  /** Without the version segment. */
  readonly url: string;
  readonly merchant: MerchantClient;
  readonly facts: DevnetFacts;
  /** The number of MongoDB calls so far. */
  roundTrips(): number;
  /** What the database has written so far, for all processes. */
  written(): Promise<Written>;
  /** Runs `work` while the worker stands still: otherwise it renews its leases and jobs meanwhile. */
  withoutWorker<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when this process has finished all work that it started. */
  untilIdle(): Promise<void>;
  /** Resolves when no process has work left, so that the next request is counted alone. */
  atRest(): Promise<void>;
  stop(): Promise<void>;
}

const AGAIN_MS = 10;

/**
 * Serves the API in this process, with a database and a chain in a temporary folder. The jobs and the chain's loops run
 * in a worker process, so that only the calls of requests are counted.
 */
export function startCountedService(): Promise<CountedService> {
  return openOnDevnet({}, startedOn);
}

async function startedOn({ dataDir, openClient, onStop, stop }: TemporaryDevnet): Promise<CountedService> {
  const mongo = await openClient();
  const workers = new ServiceProcesses();
  onStop(() => workers.killAll());
  const worker = await workers.spawn({ dataDir, env: { TIDELINE_ROLE: 'worker' } });
  await untilReady(worker);
  const { token } = staffToken({ DATA_DIR: dataDir });
  const own = { TIDELINE_ROLE: 'api', PORT: '0', LOCAL_EVM_PORT: '0', STAFF_TOKEN: token };
  const config = readConfig({ DATA_DIR: dataDir, ...own });
  const service = await startService(config, silentLog);
  onStop(() => service.stop());
  return {
    url: service.url,
    merchant: await signUp(() => service.url, dataDir),
    facts: await devnetFacts(service),
    roundTrips: () => service.store.roundTrips(),
    written: () => writtenBy(mongo),
    withoutWorker: async (work) => {
      worker.signal('SIGSTOP');
      try {
        return await work();
      } finally {
        worker.signal('SIGCONT');
      }
    },
    untilIdle: async () => {
      while (service.engine.isBusy()) await delay(1);
    },
    atRest: async () => {
      while (service.engine.isBusy() || (await isAtWork(service.store))) await delay(AGAIN_MS);
    },
    stop,
  };
}

/** Effects are left to run, or charges are on their way. */
async function isAtWork(store: Store): Promise<boolean> {
  if ((await unrelayedIn(store)).length > 0) return true;
  return (await store.records.count('charges', { state: { in: OPEN } }, 1)) > 0;
}

const OPEN = ['waiting', 'started', 'sent', 'mined'] as const;
