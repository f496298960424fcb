import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { listenSideBySide } from '../../../devnet/solana/node.ts';

const open: Server[] = [];

function server(): Server {
  const made = createServer();
  open.push(made);
  return made;
}

function portOf(from: Server): number {
  const address = from.address();
  if (address === null || typeof address === 'string') throw new Error('listens on no port');
  return address.port;
}

async function listening(port: number): Promise<Server> {
  const made = server();
  made.listen(port, '127.0.0.1');
  await once(made, 'listening');
  return made;
}

afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

/** A port that is taken, with the one below it free. */
async function takenAboveFree(): Promise<number> {
  for (;;) {
    const taken = portOf(await listening(0));
    const below = await listening(taken - 1).catch(() => null);
    if (below === null) continue;
    below.close();
    await once(below, 'close');
    return taken;
  }
}

/** A server to which the system assigns `port` first, as if by chance, and then any other. */
function luckyServer(port: number): Server {
  const made = server();
  const listen = made.listen.bind(made);
  let isFirst = true;
  Object.assign(made, {
    listen: (_: number, host: string) => {
      listen(isFirst ? port : 0, host);
      isFirst = false;
      return made;
    },
  });
  return made;
}

describe('the RPC and the WebSocket beside it', () => {
  it('takes another pair if the system chose a port whose neighbour is taken', async () => {
    const taken = await takenAboveFree();
    const [rpc, sockets] = [luckyServer(taken - 1), server()];
    const port = await listenSideBySide(rpc, sockets, 0);
    expect(port).not.toBe(taken - 1);
    expect(portOf(rpc)).toBe(port);
    expect(portOf(sockets)).toBe(port + 1);
  });

  it('leaves the WebSocket out beside a requested port', async () => {
    const taken = await takenAboveFree();
    const [rpc, sockets] = [server(), server()];
    expect(await listenSideBySide(rpc, sockets, taken - 1)).toBe(taken - 1);
    expect(sockets.listening).toBe(false);
  });

  it('reports that the requested port is taken', async () => {
    const taken = portOf(await listening(0));
    await expect(listenSideBySide(server(), server(), taken)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
