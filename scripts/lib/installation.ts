import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Catalog } from '../../src/chains/catalog.ts';
import type { ChainReader } from '../../src/chains/chain-reader.ts';
import { MandateReader } from '../../src/chains/mandate-reader.ts';
import type { Chain, ChargeListener } from '../../src/chains/port.ts';
import { type Config, ConfigError, readConfig } from '../../src/config/config.ts';
import { noFaults } from '../../src/engine/faults.ts';
import { packageVersion } from '../../src/package/root.ts';
import { openChainReaders } from '../../src/service/chain-readers.ts';
import { loadSolana, openChains, openSolanaDelegates } from '../../src/service/chains.ts';
import { joinLocalParts, type LocalParts, loadDevnet } from '../../src/service/local-parts.ts';
import { catalogOf, NO_LOCAL_WORLD } from '../../src/service/local-world.ts';
import { formerRouters } from '../../src/service/routers.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { Store } from '../../src/store/port.ts';
import { Workers } from '../../src/store/workers.ts';
import type { Environment } from './running-service.ts';
import { ScriptError } from './script.ts';
import { silentLog } from './silent-log.ts';

/** The parts of a service for use from outside; none of them runs. */
export interface Installation {
  readonly config: Config;
  readonly store: Store;
  readonly catalog: Catalog;
  readonly chainReaders: readonly ChainReader[];
  /** For requests only: they are not started, so that they sign nothing. */
  readonly chains: readonly Chain[];
}

/** The database and the local parts of an installation. */
export interface Deployment {
  readonly config: Config;
  readonly uri: string;
  readonly parts: LocalParts | null;
}

/** The service's configuration. Throws a ScriptError with all problems of the environment. */
export function configOf(environment: Environment): Config {
  try {
    return readConfig(environment, 'command');
  } catch (error) {
    if (error instanceof ConfigError) throw new ScriptError(error.message);
    throw error;
  }
}

/**
 * Joins the local parts that the configuration needs, beside a running service or without one, and leaves them at the
 * end. Throws a DevnetError or a ScriptError if they or a database are not available.
 */
export async function withDeployment<T>(config: Config, use: (deployment: Deployment) => Promise<T>): Promise<T> {
  const parts = await joinLocalParts(config, silentLog);
  try {
    const uri = config.mongodbUri ?? parts?.mongodbUri ?? null;
    if (uri === null) throw new ScriptError('No database: set MONGODB_URI');
    return await use({ config, uri, parts });
  } finally {
    await parts?.leave();
  }
}

/** Opens store and chains of a deployment, and always closes them. */
export async function withInstallation<T>(
  { config, uri, parts }: Deployment,
  use: (installation: Installation) => Promise<T>,
): Promise<T> {
  const world = (await parts?.openWorld()) ?? NO_LOCAL_WORLD;
  const catalog = catalogOf(world);
  const solana = await loadSolana(config);
  const isEmbedded = config.mongodbUri === null;
  const store = await openMongoStore({ uri, dbName: config.mongodbDb, log: silentLog, isEmbedded });
  const delegates = openSolanaDelegates({ config, world, solana });
  const former = await formerRouters(store.records, config.chains);
  const chainReaders = openChainReaders({ config, world, catalog, former, solana, delegates });
  const clock = () => new Date();
  const reported = {
    config,
    holder: randomUUID(),
    world,
    catalog,
    store,
    listener: nobody,
    solana,
    mandates: new MandateReader(store.records),
    delegates,
    clock,
    log: silentLog,
    fault: noFaults,
    asked: () => undefined,
    dated: () => undefined,
    workers: new Workers({ records: store.records }),
  };
  const chains = openChains(reported);
  try {
    return await use({ config, store, catalog, chainReaders, chains });
  } finally {
    await Promise.all([...chains.map((chain) => chain.stop()), ...chainReaders.map((reader) => reader.close())]);
    await store.close();
  }
}

const unreachable = async (): Promise<never> => {
  throw new Error('a script must not run a chain, only read it');
};

const nobody: ChargeListener = {
  start: unreachable,
  reserves: unreachable,
  notify: unreachable,
  walletsChanged: unreachable,
  allowancesChanged: unreachable,
};

/**
 * Runs `use` on a service's store: `MONGODB_URI` (or the file in `MONGODB_URI_FILE`), otherwise the embedded database
 * of `DATA_DIR`, which is started if no service runs. Always closes the store.
 */
export async function withStore<T>(environment: Environment, use: (store: Store) => Promise<T>): Promise<T> {
  const uri = uriOf(environment);
  if (uri) return onStore({ uri, isEmbedded: false }, environment, use);
  return withEmbeddedDatabase(environment['DATA_DIR'] || './data', (embedded) =>
    onStore({ uri: embedded, isEmbedded: true }, environment, use),
  );
}

/** Runs `use` with the URI of the embedded database of a data folder, which is started if no service runs. */
export async function withEmbeddedDatabase<T>(dataDir: string, use: (uri: string) => Promise<T>): Promise<T> {
  const devnet = await loadDevnet();
  const parts = await devnet.join({
    dataDir: resolve(dataDir),
    version: packageVersion(),
    want: { mongo: true, evm: false },
    evmPort: 0,
    log: () => {},
  });
  try {
    return await use(parts.mongodbUri ?? '');
  } finally {
    await parts.leave();
  }
}

/** The URI by the service's rules: the variable, or the file that it names. */
function uriOf(environment: Environment): string {
  const file = environment['MONGODB_URI_FILE'];
  if (!file || environment['MONGODB_URI']) return environment['MONGODB_URI'] ?? '';
  const uri = contentOf(file);
  if (uri === '') throw new ScriptError(`MONGODB_URI_FILE names a file that is empty: ${file}`);
  return uri;
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new ScriptError(`MONGODB_URI_FILE names a file that cannot be read: ${file}`);
  }
}

async function onStore<T>(
  database: { readonly uri: string; readonly isEmbedded: boolean },
  environment: Environment,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const dbName = environment['MONGODB_DB'] || 'tideline';
  const store = await openMongoStore({ ...database, dbName, log: silentLog });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
