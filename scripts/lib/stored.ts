import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { packageVersion } from '../../src/package/version.ts';
import { loadDevnet } from '../../src/service/local-parts.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { Store } from '../../src/store/port.ts';
import type { Environment } from './running-service.ts';
import { ScriptError } from './script.ts';
import { silentLog } from './silent-log.ts';

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
