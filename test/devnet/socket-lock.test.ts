import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { answers, lockWithSocket } from '../../devnet/socket-lock.ts';
import { tempFolder } from './support/folders.ts';

const NAME = 'the.sock';
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

function makeServer(): Server {
  const server = createServer((socket) => socket.destroy());
  servers.push(server);
  return server;
}

/** Leaves the file of a socket whose process was killed. */
async function leaveDeadSocket(path: string): Promise<void> {
  const script = "require('node:net').createServer().listen(process.argv[1], () => console.log('listening'))";
  const child = spawn(process.execPath, ['-e', script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function contend(folder: string, contenders: number) {
  const locks = await Promise.all(Array.from({ length: contenders }, () => lockWithSocket(makeServer(), folder, NAME)));
  return locks.filter((lock) => lock !== undefined);
}

describe('the lock by a socket', () => {
  it('is held by exactly one of many that start at the same time', async () => {
    const folder = await tempFolder();
    const [lock, ...others] = await contend(folder, 12);
    expect(others).toEqual([]);
    expect(await lock?.isHeld()).toBe(true);
    expect(await contend(folder, 3)).toEqual([]);
  });

  it('passes to exactly one of many when its holder was killed', async () => {
    for (let round = 0; round < 10; round += 1) {
      const folder = await tempFolder();
      await leaveDeadSocket(join(folder, NAME));
      const [lock, ...others] = await contend(folder, 12);
      expect(others).toEqual([]);
      expect(await lock?.isHeld()).toBe(true);
      expect(await answers(join(folder, NAME))).toBe(true);
    }
  });

  it('counts a listener that ends before it accepts a caller as dead', async () => {
    const path = join(await tempFolder(), NAME);
    const server = makeServer();
    await once(server.listen(path), 'listening');
    const answer = answers(path);
    server.close();
    expect(await answer).toBe(false);
  });

  it('passes on if the process that was taking over was killed too', async () => {
    const folder = await tempFolder();
    const dead = join(folder, NAME);
    await leaveDeadSocket(dead);
    const { dev, ino, mtimeNs } = await lstat(dead, { bigint: true });
    const identity = [dev, ino, mtimeNs].map((each) => each.toString(36)).join('.');
    await leaveDeadSocket(join(folder, `.take-${identity}-0`));
    expect(await contend(folder, 5)).toHaveLength(1);
  });

  it('is free after its release, and leaves no file behind', async () => {
    const folder = await tempFolder();
    const [first] = await contend(folder, 3);
    await first?.release();
    expect(await readdir(folder)).toEqual([]);
    expect(await first?.isHeld()).toBe(false);
    expect(await contend(folder, 3)).toHaveLength(1);
  });

  it('is no longer held if its file is another one', async () => {
    const folder = await tempFolder();
    const [first] = await contend(folder, 1);
    await rm(join(folder, NAME));
    expect(await first?.isHeld()).toBe(false);
    const [second] = await contend(folder, 1);
    await first?.release();
    expect(await second?.isHeld()).toBe(true);
  });

  it('replaces a file that is not a socket', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, NAME), '');
    expect(await contend(folder, 2)).toHaveLength(1);
  });
});
