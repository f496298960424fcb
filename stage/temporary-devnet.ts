import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { type Devnet, type JoinOptions, joinDevnet } from '../devnet/join.ts';
import { resetFolder } from '../devnet/reset.ts';
import { commandOf, SUPERVISOR } from '../scripts/lib/build.ts';
import { silentLog } from '../scripts/lib/silent-log.ts';
import { packageVersion } from '../src/package/root.ts';
import { openMongoStore } from '../src/store/mongo/store.ts';
import type { LedgerStore } from '../src/store/port.ts';
import { removeFolder } from './remove-folder.ts';

/** Its parts; without options a database alone. */
export interface TemporaryDevnetOptions extends Pick<JoinOptions, 'savesEvm' | 'isEvmLarge'> {
  readonly mongo?: boolean;
  readonly evm?: boolean;
}

/** A database and local chains in a temporary folder, and everything that is started on them. */
export interface TemporaryDevnet {
  /** A folder for files of the run. */
  readonly folder: string;
  /** The folder of the database and the local chains; services on it share them. */
  readonly dataDir: string;
  readonly devnet: Devnet;
  /** The address of the database, for the driver; empty without it. */
  readonly mongoUri: string;
  /** The address of the EVM chain's node; empty without it. */
  readonly rpcUrl: string;
  /** The service's own store, until the end. `uri`: another way to the database. */
  openStore(dbName: string, uri?: string): Promise<LedgerStore>;
  /** The raw driver, until the end. */
  openClient(): Promise<MongoClient>;
  /** Registers work for the end; the last comes first. */
  onStop(stop: () => Promise<unknown>): void;
  /** Stops everything, whatever fails, and deletes the folder. Throws the first error. Works once. */
  stop(): Promise<void>;
}

/** How long database and chains stay after this process has died. */
const LINGER_MS = 2_000;

/** Starts the parts. Services may come and go on them until `stop`. */
export async function openTemporaryDevnet({
  mongo = true,
  evm = false,
  ...how
}: TemporaryDevnetOptions = {}): Promise<TemporaryDevnet> {
  const stops: (() => Promise<unknown>)[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'tideline-devnet-'));
  stops.push(() => removeFolder(folder));
  const dataDir = join(folder, 'data');
  const supervisor = commandOf(SUPERVISOR);
  const common = { version: packageVersion(), evmPort: 0, lingerMs: LINGER_MS, supervisor, log: () => undefined };
  const devnet = await joinDevnet({ ...common, dataDir, want: { mongo, evm, solana: false }, ...how }).catch(
    async (error) => {
      await endAll(stops);
      throw error;
    },
  );
  stops.push(async () => {
    await devnet.leave({ graceful: true });
    await resetFolder(dataDir);
  });
  const mongoUri = devnet.mongo?.uri ?? '';
  return {
    folder,
    dataDir,
    devnet,
    mongoUri,
    rpcUrl: devnet.evm?.rpcUrl ?? '',
    openStore: async (dbName, uri = mongoUri) => {
      const store = await openMongoStore({ uri, dbName, log: silentLog });
      stops.push(() => store.close());
      return store;
    },
    openClient: async () => {
      const client = await MongoClient.connect(mongoUri, { retryWrites: false });
      stops.push(() => client.close());
      return client;
    },
    onStop: (stop) => void stops.push(stop),
    stop: async () => {
      const [failed] = await endAll(stops);
      if (failed) throw failed.reason;
    },
  };
}

/** Starts the parts, and opens something on them. If that fails, nothing is left behind. */
export async function openOnDevnet<T>(
  options: TemporaryDevnetOptions,
  open: (devnet: TemporaryDevnet) => Promise<T>,
): Promise<T> {
  const devnet = await openTemporaryDevnet(options);
  return stopAtFailure(devnet, open);
}

/** Runs `use`, and then stops what it uses, even after a failure. Throws the first error. */
export async function stopAfter<S extends Stoppable, T>(stoppable: S, use: (stoppable: S) => Promise<T>): Promise<T> {
  const found = await stopAtFailure(stoppable, use);
  await stoppable.stop();
  return found;
}

type Stoppable = Pick<TemporaryDevnet, 'stop'>;

async function stopAtFailure<S extends Stoppable, T>(stoppable: S, use: (stoppable: S) => Promise<T>): Promise<T> {
  try {
    return await use(stoppable);
  } catch (error) {
    await stoppable.stop().catch(() => undefined);
    throw error;
  }
}

async function endAll(stops: (() => Promise<unknown>)[]): Promise<PromiseRejectedResult[]> {
  const failed: PromiseRejectedResult[] = [];
  for (const stop of stops.splice(0).reverse()) {
    const [ended] = await Promise.allSettled([stop()]);
    if (ended.status === 'rejected') failed.push(ended);
  }
  return failed;
}
