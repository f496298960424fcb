import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { until } from '../../stage/until.ts';
import { BOTH, joinAt, MONGO_ONLY, SOLANA_ONLY, tempFolder } from './support/folders.ts';
import { EVM_NODE, MONGO, processesOf, processOf, SOLANA, SUPERVISOR, untilNoneIsLeft } from './support/processes.ts';

/** Supervisors that came second take a moment to notice it. */
async function untilOneSupervisor(dataDir: string): Promise<void> {
  const count = async () => (await processesOf(dataDir)).filter(({ command }) => SUPERVISOR.test(command)).length;
  await until('there is one supervisor', count, (now) => now === 1);
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe('the supervisor of a data folder', () => {
  it('is one for all who join at the same time, and has ended, and cleaned up, when the last has left', async () => {
    const dataDir = await tempFolder();
    const joined = await Promise.all([1, 2, 3].map(() => joinAt(dataDir, BOTH)));
    expect(new Set(joined.map(({ folderId }) => folderId)).size).toBe(1);
    expect(new Set(joined.map(({ evm }) => evm?.rpcUrl)).size).toBe(1);
    await untilOneSupervisor(dataDir);
    const [last, ...others] = joined;
    await Promise.all(others.map((devnet) => devnet.leave({ graceful: true })));
    expect(await processesOf(dataDir)).not.toHaveLength(0);
    await last?.leave({ graceful: true });
    await untilNoneIsLeft(dataDir);
    for (const name of ['supervisor.sock', 'supervisor.json', 'mongodb.uri']) {
      expect([name, await isThere(join(dataDir, name))]).toEqual([name, false]);
    }
  });

  it('starts a part when the first service that wants it joins', async () => {
    const dataDir = await tempFolder();
    const first = await joinAt(dataDir, MONGO_ONLY);
    expect(first.evm).toBeUndefined();
    const second = await joinAt(dataDir, BOTH);
    expect(second.mongo).toEqual(first.mongo);
    expect(second.evm).toBeDefined();
    expect((await readFile(join(dataDir, 'mongodb.uri'), 'utf8')).trim()).toBe(first.mongo?.uri);
  });

  it('stays for a while after a service has died, and then ends', async () => {
    const dataDir = await tempFolder();
    const first = await joinAt(dataDir, { lingerMs: 700 });
    const pid = await processOf(dataDir, SUPERVISOR);
    await first.leave({ graceful: false });
    const second = await joinAt(dataDir);
    expect(await processOf(dataDir, SUPERVISOR)).toBe(pid);
    expect(second.evm).toEqual(first.evm);
    await second.leave({ graceful: false });
    const began = performance.now();
    await untilNoneIsLeft(dataDir);
    expect(performance.now() - began).toBeGreaterThan(300);
  });

  it('is replaced after a kill, whatever it left', async () => {
    const dataDir = await tempFolder();
    const first = await joinAt(dataDir, BOTH);
    const why = new Promise((resolve) => first.onLost(resolve));
    process.kill(await processOf(dataDir, SUPERVISOR), 'SIGKILL');
    expect(await why).toMatch(/supervisor .* ended without a message/);
    expect(await isThere(join(dataDir, 'supervisor.sock'))).toBe(true);
    const joined = await Promise.all([joinAt(dataDir, BOTH), joinAt(dataDir, BOTH)]);
    expect(joined.map(({ folderId }) => folderId)).toEqual([first.folderId, first.folderId]);
    await untilOneSupervisor(dataDir);
    await Promise.all(joined.map((devnet) => devnet.leave({ graceful: true })));
    await untilNoneIsLeft(dataDir);
  });

  it('of another version is ended and replaced, and its services are informed', async () => {
    const dataDir = await tempFolder();
    const old = await joinAt(dataDir, { version: '1' });
    const why = new Promise((resolve) => old.onLost(resolve));
    const oldPid = await processOf(dataDir, SUPERVISOR);
    const replaced = await joinAt(dataDir, { version: '2' });
    expect(await why).toMatch(/version 2 replaces/);
    expect(await processOf(dataDir, SUPERVISOR)).not.toBe(oldPid);
    expect(replaced.folderId).toBe(old.folderId);
    await replaced.leave({ graceful: true });
    await untilNoneIsLeft(dataDir);
  });

  it.each([
    { part: 'MongoDB', process: MONGO, wish: BOTH },
    { part: 'EVM node', process: EVM_NODE, wish: BOTH },
    { part: 'local Solana chain', process: SOLANA, wish: SOLANA_ONLY },
  ])(
    'informs every service when the $part dies, but none that has left, and ends',
    async ({ part, process: which, wish }) => {
      const dataDir = await tempFolder();
      const [gone, ...joined] = await Promise.all([1, 2, 3].map(() => joinAt(dataDir, wish)));
      const unwanted: string[] = [];
      gone?.onLost((why) => unwanted.push(why));
      await gone?.leave({ graceful: true });
      const reported = Promise.all(joined.map((devnet) => new Promise<string>((resolve) => devnet.onLost(resolve))));
      process.kill(await processOf(dataDir, which), 'SIGKILL');
      for (const why of await reported) {
        expect(why).toContain(part);
        expect(why).toContain('signal SIGKILL');
      }
      await untilNoneIsLeft(dataDir);
      expect(await readFile(join(dataDir, 'supervisor.log'), 'utf8')).toMatch(/has ended with exit code 1$/m);
      expect(unwanted).toEqual([]);
    },
  );

  it('ends when its folder has been deleted', async () => {
    const dataDir = await tempFolder();
    await joinAt(dataDir);
    expect(await processesOf(dataDir)).not.toHaveLength(0);
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    await untilNoneIsLeft(dataDir);
  });

  it('serves a folder whose path is longer than a socket address can be', async () => {
    const dataDir = join(await tempFolder(), 'a-folder-with-a-long-name'.repeat(4), 'and-another-one'.repeat(8));
    const [first, second] = await Promise.all([joinAt(dataDir, BOTH), joinAt(dataDir, BOTH)]);
    expect(await isThere(join(dataDir, 'supervisor.sock'))).toBe(true);
    expect(second.mongo).toEqual(first.mongo);
    const client = new MongoClient(first.mongo?.uri ?? '');
    expect(await client.db('test').command({ ping: 1 })).toMatchObject({ ok: 1 });
    await client.close();
    await first.leave({ graceful: true });
    await second.leave({ graceful: true });
    await untilNoneIsLeft(dataDir);
  });
});

describe('a folder that cannot be used', () => {
  it('is named if it cannot be created or written', async () => {
    const file = join(await tempFolder(), 'file');
    await writeFile(file, '');
    await expect(joinAt(join(file, 'data'))).rejects.toThrow(`DATA_DIR ${join(file, 'data')} is not a folder that can`);
  });

  it('is named if its id is damaged', async () => {
    const dataDir = await tempFolder();
    await writeFile(join(dataDir, 'folder.json'), '{');
    await expect(joinAt(dataDir)).rejects.toThrow(`${join(dataDir, 'folder.json')} should hold {"id"`);
  });

  it('gives the reason of a supervisor that cannot start', async () => {
    const dataDir = await tempFolder();
    await mkdir(join(dataDir, 'supervisor.sock'));
    await expect(joinAt(dataDir)).rejects.toThrow(`supervisor of ${dataDir} did not start: `);
    await expect(joinAt(dataDir)).rejects.toThrow(join(dataDir, 'supervisor.sock'));
    await untilNoneIsLeft(dataDir);
  });
});
