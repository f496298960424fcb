import { join } from 'node:path';
import type { MongoClient } from 'mongodb';
import { commandOf } from '../../scripts/lib/build.ts';
import { type Environment, type ServiceProcess, ServiceProcesses, untilReady } from '../../stage/processes.ts';
import {
  openTemporaryDevnet,
  stopAfter,
  type TemporaryDevnet,
  type TemporaryDevnetOptions,
} from '../../stage/temporary-devnet.ts';
import { type Child, NODE_ENV, NODE_FLAGS, type Opening, startChild } from '../lib/child.ts';
import type { BenchRun } from './bench.ts';

/** Where a part of a benchmark runs: a database, local chains if it wants them, and the processes around them. */
export interface World extends TemporaryDevnet, BenchRun {
  /** The raw driver, for documents in bulk. */
  readonly mongo: MongoClient;
  /** The service as `npm run build` makes it, in its own process, on this database. Resolves when it is ready. */
  service(env?: Environment): Promise<ServiceProcess>;
  /** As `startChild`; it ends with the world. */
  child<O extends Opening>(moduleUrl: string, file: string, args?: readonly string[]): Child<O>;
}

/** Runs `use` on a world, and then stops everything that was started for it, even after a failure. */
export async function withWorld<T>(
  run: BenchRun,
  options: TemporaryDevnetOptions,
  use: (world: World) => Promise<T>,
): Promise<T> {
  const devnet = await openTemporaryDevnet({ savesEvm: false, ...options });
  return stopAfter(devnet, async () => use(await worldOn(devnet, run)));
}

async function worldOn(devnet: TemporaryDevnet, run: BenchRun): Promise<World> {
  const { folder, mongoUri } = devnet;
  const mongo = await devnet.openClient();
  const processes = new ServiceProcesses([...NODE_FLAGS, ...commandOf('src/main')]);
  devnet.onStop(() => processes.killAll());
  let started = 0;
  return {
    ...devnet,
    ...run,
    mongo,
    service: async (env = {}) => {
      started += 1;
      const dataDir = join(folder, `service-${started}`);
      // The log goes to a file, as in a deployment.
      const options = { dataDir, logFile: `${dataDir}.log`, env: { MONGODB_URI: mongoUri, ...SERVICE, ...env } };
      const service = await processes.spawn(options);
      devnet.onStop(() => service.stop());
      await untilReady(service);
      return service;
    },
    child: (moduleUrl, file, args = []) => {
      const child = startChild(moduleUrl, file, args);
      devnet.onStop(() => child.stop());
      return child;
    },
  };
}

/** The settings of a deployment that serves the API and has no local chains. */
const SERVICE = {
  NODE_ENV,
  NO_COLOR: '1',
  TICK_MS: '1000',
  LOCAL_DEVNETS: 'off',
  WEBHOOK_ALLOW_LOOPBACK: '0',
} as const;
