import { setTimeout as delay } from 'node:timers/promises';
import { type DevnetFacts, devnetFacts } from '../../../scripts/lib/devnet-facts.ts';
import { staffToken } from '../../../scripts/lib/running-service.ts';
import { silentLog } from '../../../scripts/lib/silent-log.ts';
import { readConfig } from '../../../src/config/config.ts';
import { type RunningService, startService } from '../../../src/service/service.ts';
import type { Store } from '../../../src/store/port.ts';
import { type MerchantClient, signUp } from '../../../stage/merchant-client.ts';
import { ServiceProcesses, untilReady } from '../../../stage/processes.ts';
import { openOnDevnet, type TemporaryDevnet } from '../../../stage/temporary-devnet.ts';
import { unrelayedIn } from '../../../tools/lib/stored.ts';
import { openWrittenLine } from './written-line.ts';

/**
 * A process that only serves, which counts its MongoDB calls and the documents that they write. What workers do for it
 * is not counted.
 */
export interface CountedService {
  /** Without the version segment. */
  readonly url: string;
  readonly merchant: MerchantClient;
  readonly facts: DevnetFacts;
  /** The number of MongoDB calls so far, without those that poll the answers of workers. */
  roundTrips(): number;
  /** The number of documents that it has written so far. */
  documents(): number;
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

async function startedOn({ dataDir, mongoUri, onStop, stop }: TemporaryDevnet): Promise<CountedService> {
  const workers = new ServiceProcesses();
  onStop(() => workers.killAll());
  const worker = await workers.spawn({ dataDir, env: { TIDELINE_ROLE: 'worker' } });
  await untilReady(worker);
  const { token } = staffToken({ DATA_DIR: dataDir });
  const line = await openWrittenLine(mongoUri);
  onStop(() => line.close());
  const own = {
    TIDELINE_ROLE: 'api',
    MONGODB_URI: line.uri,
    PORT: '0',
    LOCAL_EVM_PORT: '0',
    LOCAL_SOLANA_PORT: '0',
    STAFF_TOKEN: token,
  };
  const config = readConfig({ DATA_DIR: dataDir, ...own });
  const service = await startService(config, silentLog);
  onStop(() => service.stop());
  return {
    url: service.url,
    merchant: await signUp(() => service.url, dataDir),
    facts: await devnetFacts(service),
    roundTrips: () => service.store.roundTrips() - line.polls(),
    documents: line.documents,
    untilIdle: async () => {
      while (isBusy(service)) await delay(1);
    },
    atRest: async () => {
      while (isBusy(service) || (await isAtWork(service.store))) await delay(AGAIN_MS);
    },
    stop,
  };
}

/** This process runs effects, or checks that they have begun. */
function isBusy({ engine, deps }: RunningService): boolean {
  return engine.isBusy() || deps.watcher.isChecking();
}

/** Effects are left to run, or charges are on their way. */
async function isAtWork(store: Store): Promise<boolean> {
  if ((await unrelayedIn(store)).length > 0) return true;
  return (await store.records.count('charges', { state: { in: OPEN } }, 1)) > 0;
}

const OPEN = ['waiting', 'started', 'sent', 'mined'] as const;
