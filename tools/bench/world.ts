import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { commandOf } from '../../scripts/lib/build.ts';
import { type Environment, type ServiceProcess, ServiceProcesses, untilReady } from '../../stage/processes.ts';
import { type Child, NODE_ENV, NODE_FLAGS, type Opening, startChild } from '../lib/child.ts';
import { openWorld, type World as Parts, usingWorld, type WorldOptions } from '../lib/world.ts';
import type { BenchRun } from './bench.ts';

/** Where a part of a benchmark runs: a database, local chains if it wants them, and the processes around them. */
export interface World extends Parts, BenchRun {
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
  options: WorldOptions,
  use: (world: World) => Promise<T>,
): Promise<T> {
  return usingWorld(await openWorld({ savesEvm: false, ...options }), async (parts) => use(await worldOn(parts, run)));
}

async function worldOn(parts: Parts, run: BenchRun): Promise<World> {
  const { folder, mongoUri } = parts;
  const mongo = await MongoClient.connect(mongoUri, { retryWrites: false });
  parts.onStop(() => mongo.close());
  const processes = new ServiceProcesses([...NODE_FLAGS, ...commandOf('src/main')]);
  parts.onStop(() => processes.killAll());
  let started = 0;
  return {
    ...parts,
    ...run,
    mongo,
    service: async (env = {}) => {
      started += 1;
      const dataDir = join(folder, `service-${started}`);
      // The log goes to a file, as in a deployment.
      const options = { dataDir, logFile: `${dataDir}.log`, env: { MONGODB_URI: mongoUri, ...SERVICE, ...env } };
      const service = await processes.spawn(options);
      parts.onStop(() => service.stop());
      await untilReady(service);
      return service;
    },
    child: (moduleUrl, file, args = []) => {
      const child = startChild(moduleUrl, file, args);
      parts.onStop(() => child.stop());
      return child;
    },
  };
}

/** The settings of a deployment that serves the API and has no local chains. */
const SERVICE = {
  NODE_ENV,
  NO_COLOR: '1',
  TICK_MS: '1000',
  TIDELINE_ROLE: 'api',
  LOCAL_DEVNETS: 'off',
  WEBHOOK_ALLOW_LOOPBACK: '0',
} as const;
