import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Devnet, type JoinOptions, joinDevnet } from '../../devnet/join.ts';
import { resetFolder } from '../../devnet/reset.ts';
import { commandOf, SUPERVISOR } from '../../scripts/lib/build.ts';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { packageVersion } from '../../src/package/version.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { Store } from '../../src/store/port.ts';
import { removeFolder } from '../../stage/remove-folder.ts';

/** The parts of a world; without options it has a database alone. */
export interface WorldOptions extends Pick<JoinOptions, 'savesEvm' | 'isEvmLarge'> {
  readonly mongo?: boolean;
  readonly evm?: boolean;
  readonly solana?: boolean;
}

/** A database and local chains in a temporary folder, for one run, and everything that is started on them. */
export interface World {
  /** A folder for files of the run. */
  readonly folder: string;
  /** The folder of the database and the local chains; services on it share them. */
  readonly dataDir: string;
  readonly devnet: Devnet;
  /** The address of the database, for the driver; empty without it. */
  readonly mongoUri: string;
  /** The service's own store. */
  openStore(dbName: string): Promise<Store>;
  /** Registers work for the end of the world; the last comes first. */
  onStop(stop: () => Promise<unknown>): void;
  /** Stops everything, even if one part fails to stop, and deletes the folder. Throws the first error. */
  stop(): Promise<void>;
}

/** How long database and chains stay after this process has died. */
const LINGER_MS = 2_000;

/** Starts the parts. Services may come and go on them until `stop`. */
export async function openWorld({ mongo = true, evm = false, solana = false, ...how }: WorldOptions): Promise<World> {
  const stops: (() => Promise<unknown>)[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'tideline-world-'));
  stops.push(() => removeFolder(folder));
  const dataDir = join(folder, 'data');
  const supervisor = commandOf(SUPERVISOR);
  const common = { version: packageVersion(), evmPort: 0, lingerMs: LINGER_MS, supervisor, log: () => undefined };
  const devnet = await joinDevnet({ ...common, dataDir, want: { mongo, evm, solana }, ...how }).catch(async (error) => {
    await endAll(stops);
    throw error;
  });
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
    openStore: async (dbName) => {
      const store = await openMongoStore({ uri: mongoUri, dbName, log: silentLog });
      stops.push(() => store.close());
      return store;
    },
    onStop: (stop) => void stops.push(stop),
    stop: async () => {
      const [failed] = await endAll(stops);
      if (failed) throw failed.reason;
    },
  };
}

/** Runs `use`, and then stops the world, even after a failure. Throws the first error. */
export async function usingWorld<W extends Pick<World, 'stop'>, T>(
  world: W,
  use: (world: W) => Promise<T>,
): Promise<T> {
  const found = await use(world).catch(async (error: unknown) => {
    await world.stop().catch(() => undefined);
    throw error;
  });
  await world.stop();
  return found;
}

async function endAll(stops: (() => Promise<unknown>)[]): Promise<PromiseRejectedResult[]> {
  const failed: PromiseRejectedResult[] = [];
  for (const stop of stops.splice(0).reverse()) {
    const [ended] = await Promise.allSettled([stop()]);
    if (ended.status === 'rejected') failed.push(ended);
  }
  return failed;
}
