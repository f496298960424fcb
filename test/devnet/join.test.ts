import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { openFolder } from '../../devnet/folder.ts';
import { parseServiceMessage, receive, send } from '../../devnet/protocol.ts';
import { freePort } from '../../scripts/lib/free-port.ts';
import type { TemporaryDevnet } from '../../stage/temporary-devnet.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { joinAt, tempFolder } from './support/folders.ts';

let elsewhere: TemporaryDevnet;

beforeAll(async () => {
  elsewhere = await startTestDevnet({ mongo: false, evm: true });
});

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

/** Holds the folder like a supervisor, answers a hello with these pieces of text, and lets services leave. */
async function fakeSupervisor(dataDir: string, pieces: string[]): Promise<void> {
  const server = createServer((socket) => {
    receive(socket, parseServiceMessage, ({ type }) => {
      if (type === 'leave') send(socket, { type: 'bye', ending: false });
      else for (const piece of pieces) socket.write(piece);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(join(dataDir, 'supervisor.sock'), resolve));
}

const welcome = (folderId: string) =>
  `${JSON.stringify({ type: 'welcome', version: '1', folderId, pid: 1, ending: false })}\n`;

describe('a service that joins', () => {
  it('refuses a local chain of another folder', async () => {
    const dataDir = await tempFolder();
    const { id } = await openFolder(dataDir);
    const address = { rpcUrl: elsewhere.rpcUrl };
    await fakeSupervisor(dataDir, [welcome(id), `${JSON.stringify({ type: 'ready', part: 'evm', address })}\n`]);
    await expect(joinAt(dataDir)).rejects.toThrow(
      `${elsewhere.rpcUrl} answers with a chain that is not that of ${dataDir}`,
    );
  });

  it('says which chain gives no answer, and where to read more', async () => {
    const dataDir = await tempFolder();
    const { id } = await openFolder(dataDir);
    const address = { rpcUrl: `http://127.0.0.1:${await freePort()}` };
    await fakeSupervisor(dataDir, [welcome(id), `${JSON.stringify({ type: 'ready', part: 'evm', address })}\n`]);
    await expect(joinAt(dataDir)).rejects.toThrow(
      new RegExp(`^The local chain of ${dataDir} gives no answer: .*; see ${dataDir}/`),
    );
  });

  it('refuses a supervisor of another folder', async () => {
    const dataDir = await tempFolder();
    await openFolder(dataDir);
    await fakeSupervisor(dataDir, [welcome(elsewhere.devnet.folderId)]);
    await expect(joinAt(dataDir)).rejects.toThrow(`its supervisor serves ${elsewhere.devnet.folderId}`);
  });

  it('skips unknown messages, and joins pieces', async () => {
    const dataDir = await tempFolder();
    const { id } = await openFolder(dataDir);
    await fakeSupervisor(dataDir, [
      '\n{}\n"text"\n{"type":"ready","part":"evm","address":{"rpcUrl":1}}\n{"type":"new"}\n',
      welcome(id),
      '{"type":"failed","part":"evm",',
      '"message":"in two pieces"}\n',
    ]);
    await expect(joinAt(dataDir)).rejects.toThrow('in two pieces');
  });

  it('sees one folder id, however many open the folder first', async () => {
    const dataDir = join(await tempFolder(), 'data');
    const folders = await Promise.all(Array.from({ length: 10 }, () => openFolder(dataDir)));
    expect(new Set(folders.map(({ id }) => id)).size).toBe(1);
    expect((await openFolder(dataDir)).id).toBe(folders[0]?.id);
  });
});
