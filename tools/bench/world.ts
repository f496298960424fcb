import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import type { Devnet } from '../../devnet/join.ts';
import { commandOf } from '../../scripts/lib/build.ts';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { Store } from '../../src/store/port.ts';
import { keptDevnet } from '../lib/devnet.ts';
import { endAll } from '../lib/end-all.ts';
import { type Loader, startLoader } from './load/loader.ts';
import { type BenchService, startService } from './service.ts';

type Environment = { readonly [name: string]: string };

/** The ground of the benchmarks: a database engine in a temporary folder, and the processes around it. */
export interface World {
  /** The folder of the engine and the local chains; services on it share them. */
  readonly dataDir: string;
  readonly devnet: Devnet;
  /** The address of the embedded engine, for the driver. */
  readonly mongoUri: string;
  /** The raw driver, for documents in bulk. */
  readonly mongo: MongoClient;
  /** A process that only sends requests. */
  readonly loader: Loader;
  /** The service as `npm run build` makes it, in its own process, on this engine. */
  service(env?: Environment): Promise<BenchService>;
  /** The service's own store. */
  store(dbName: string): Promise<Store>;
  /** Registers work for the end of the world; the last comes first. */
  onStop(stop: () => Promise<unknown>): void;
}

/** The parts of the world that a shop needs. */
export type Ground = Pick<World, 'dataDir' | 'devnet' | 'mongoUri' | 'mongo' | 'service' | 'store' | 'onStop'>;

/** The local chains of a world; none by default. */
export interface WorldChains {
  readonly evm?: boolean;
  /** As in `JoinOptions`. */
  readonly isEvmLarge?: boolean;
  readonly solana?: boolean;
}

/**
 * Runs `use` on a world, and then stops everything that was started for it, even after a failure. Throws the first
 * error.
 */
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
  { evm = false, solana = false, ...large }: WorldChains,
): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'tideline-bench-'));
  stops.push(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const dataDir = join(folder, 'data');
  const want = { mongo: true, evm, solana };
  const devnet = await keptDevnet(stops, { dataDir, want, lingerMs: LINGER_MS, savesEvm: false, ...large });
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
      const service = await startService(commandOf('src/main'), folder, { MONGODB_URI: mongoUri, ...env });
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
