import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { type Devnet, joinDevnet } from '../../devnet/join.ts';
import { resetFolder } from '../../devnet/reset.ts';
import { builtCommand } from '../../scripts/lib/build.ts';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { packageVersion } from '../../src/package/version.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { Store } from '../../src/store/port.ts';
import { endAll } from '../lib/end-all.ts';
import { type Loader, startLoader } from './load/loader.ts';
import { type BenchService, startService } from './service.ts';

type Environment = { readonly [name: string]: string };

/** What benchmarks run on: an engine of their own on a temporary folder, and what they start around it. */
export interface World {
  /** Of the engine and the local chains: a service that is given it has them too. */
  readonly dataDir: string;
  readonly devnet: Devnet;
  /** Of the embedded engine, for the driver. */
  readonly mongoUri: string;
  /** The raw driver, for documents in bulk. */
  readonly mongo: MongoClient;
  /** A process that sends requests, and does nothing else. */
  readonly loader: Loader;
  /** The service as `npm run build` makes it, in a process of its own, on this engine. */
  service(env?: Environment): Promise<BenchService>;
  /** The service's own store. */
  store(dbName: string): Promise<Store>;
  /** What is to be ended with the world; the latest first. */
  onStop(stop: () => Promise<unknown>): void;
}

/** What a service is opened on, whoever starts it. */
export type Ground = Pick<World, 'dataDir' | 'devnet' | 'mongoUri' | 'mongo' | 'service' | 'store' | 'onStop'>;

/** Which local chains a world has; none where nothing is said. */
export interface WorldChains {
  readonly evm?: boolean;
  readonly solana?: boolean;
}

/** Runs `use` on a world, and ends all that was started for it, also when it, or one of the ends, fails. Throws what failed first. */
export async function withWorld<T>(use: (world: World) => Promise<T>, chains: WorldChains = {}): Promise<T> {
  const stops: (() => Promise<unknown>)[] = [];
  const found = await openWorld(stops, chains)
    .then(use)
    .catch(async (error: unknown) => {
      await endAll(stops);
      throw error;
    });
  const [failed] = await endAll(stops);
  if (failed) throw failed.reason;
  return found;
}

const LINGER_MS = 2_000;

async function openWorld(
  stops: (() => Promise<unknown>)[],
  { evm = false, solana = false }: WorldChains,
): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'tideline-bench-'));
  stops.push(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const dataDir = join(folder, 'data');
  const want = { mongo: true, evm, solana };
  const log = () => undefined;
  const devnet = await joinDevnet({
    dataDir,
    version: packageVersion(),
    want,
    evmPort: 0,
    lingerMs: LINGER_MS,
    savesEvm: false,
    log,
  });
  stops.push(async () => {
    await devnet.leave({ graceful: true });
    await resetFolder(dataDir);
  });
  const mongoUri = devnet.mongo?.uri ?? '';
  const mongo = await MongoClient.connect(mongoUri, { retryWrites: false });
  stops.push(() => mongo.close());
  const loader = startLoader();
  stops.push(() => loader.stop());
  return {
    dataDir,
    devnet,
    mongoUri,
    mongo,
    loader,
    service: async (env = {}) => {
      const service = await startService(await builtCommand('src/main'), folder, { MONGODB_URI: mongoUri, ...env });
      stops.push(() => service.stop());
      return service;
    },
    store: async (dbName) => {
      const store = await openMongoStore({ uri: mongoUri, dbName, log: silentLog });
      stops.push(() => store.close());
      return store;
    },
    onStop: (stop) => void stops.push(stop),
  };
}
