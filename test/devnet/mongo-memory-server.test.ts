import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MongoClient } from 'mongodb';
import { entryBeside } from '../../devnet/own-runtime.ts';
import { packageRoot } from '../../src/package/root.ts';
import { tempFolder } from './support/folders.ts';

describe('the MongoDB of mongodb-memory-server', () => {
  it('serves documents to the standard driver, and keeps them through a restart', async () => {
    const folder = await tempFolder();
    const environment = { MONGOMS_SYSTEM_BINARY: await writeMongod(folder) };

    const first = await startMongo(folder, environment);
    expect(first.said).toEqual({
      type: 'ready',
      address: { uri: expect.stringMatching(/^mongodb:\/\/127\.0\.0\.1:\d+\//), kind: 'memory-server' },
    });
    await withClient(first, async (client) => {
      const numbers = client.db('test').collection<{ _id: number }>('numbers');
      await numbers.insertMany([{ _id: 1 }, { _id: 2 }], { writeConcern: { w: 1, journal: true } });
      await expect(numbers.insertOne({ _id: 2 })).rejects.toMatchObject({ code: 11000 });
    });
    await first.stop();

    const second = await startMongo(folder, environment);
    await withClient(second, async (client) => {
      expect(await client.db('test').collection('numbers').find().toArray()).toEqual([{ _id: 1 }, { _id: 2 }]);
    });
    await second.stop();
  });

  it('takes another port if somebody else has taken the first one', async () => {
    const folder = await tempFolder();
    const isTaken = '[ -e taken ] || { touch taken; echo "Address already in use"; exit 48; }';
    const mongo = await startMongo(folder, {
      MONGOMS_SYSTEM_BINARY: await writeMongod(folder, [`cd '${folder}'`, isTaken]),
    });
    expect(mongo.said).toMatchObject({ type: 'ready' });
    await mongo.stop();
  });

  it.each([
    {
      what: 'the given mongod does not exist',
      environment: { MONGOMS_SYSTEM_BINARY: '/nowhere/mongod' },
      reason:
        'MONGOMS_SYSTEM_BINARY names /nowhere/mongod, which is not an executable file; set it to the path of a mongod',
    },
    {
      what: 'the download fails',
      // Nothing listens at port 1.
      environment: { MONGOMS_DOWNLOAD_MIRROR: 'https://127.0.0.1:1', MONGOMS_MAX_RETRIES: '1' },
      reason:
        'it finds no installed mongod, and the download of one failed: connect ECONNREFUSED 127.0.0.1:1; ' +
        'install MongoDB and set MONGOMS_SYSTEM_BINARY to the path of its mongod',
    },
    {
      what: 'the download is forbidden',
      environment: { MONGOMS_RUNTIME_DOWNLOAD: 'false' },
      reason:
        'it finds no installed mongod, and MONGOMS_RUNTIME_DOWNLOAD forbids to download one; ' +
        'install MongoDB and set MONGOMS_SYSTEM_BINARY to the path of its mongod',
    },
  ])('names the missing mongod when $what', async ({ environment, reason }) => {
    const { said } = await startMongo(await tempFolder(), environment);
    expect(said).toEqual({
      type: 'failed',
      message: expect.stringContaining(`mongodb-memory-server is not available (${reason}).`),
    });
  });
});

interface StartedMongo {
  /** The first message of the process. */
  said: { type: string; address?: { uri: string }; message?: string };
  stop(): Promise<void>;
}

/**
 * The process of the local MongoDB on a machine that cannot load the embedded engine and has no downloaded `mongod`.
 */
async function startMongo(folder: string, environment: Record<string, string>): Promise<StartedMongo> {
  const home = join(folder, 'home');
  await mkdir(home, { recursive: true });
  const { file, execArgv } = entryBeside('mongo-child');
  const child = fork(file, [folder], {
    execArgv,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // No other variable: a proxy or a MONGOMS_ setting of this machine would change the result.
    env: {
      PATH: process.env['PATH'],
      TMPDIR: process.env['TMPDIR'],
      HOME: home,
      MONGOMS_DOWNLOAD_DIR: home,
      NAPI_RS_NATIVE_LIBRARY_PATH: '/nowhere/mongodb.node',
      ...environment,
    },
  });
  const exited = once(child, 'exit');
  const [said] = await Promise.race([once(child, 'message'), exited]);
  return {
    said,
    async stop() {
      child.send('stop');
      expect(await exited).toEqual([0, null]);
    },
  };
}

/** Writes an executable that behaves as `mongod`, after it has run `before`. Returns its path. */
async function writeMongod(folder: string, before: readonly string[] = []): Promise<string> {
  const path = join(folder, 'mongod');
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx/esm')).href;
  const script = join(packageRoot(), 'test/devnet/support/mongod.ts');
  await writeFile(
    path,
    [
      '#!/bin/sh',
      'unset NAPI_RS_NATIVE_LIBRARY_PATH',
      '[ "$1" = --version ] && echo "db version v8.2.6" && exit',
      ...before,
      `exec '${process.execPath}' --import '${loader}' '${script}' "$@"`,
      '',
    ].join('\n'),
  );
  await chmod(path, 0o700);
  return path;
}

async function withClient(mongo: StartedMongo, use: (client: MongoClient) => Promise<void>): Promise<void> {
  const client = new MongoClient(mongo.said.address?.uri ?? '');
  try {
    await use(client);
  } finally {
    await client.close();
  }
}
