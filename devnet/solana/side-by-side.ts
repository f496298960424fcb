import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const HOST = '127.0.0.1';
const ATTEMPTS = 20;

/**
 * Lets the RPC listen on `port`, and the WebSocket beside it where the ordinary client searches for it: one above. Resolves to
 * the port of the RPC; 0 lets the system choose one whose neighbour is free too. Beside a port that was asked for somebody
 * else may sit: then it is done without the WebSocket, as who polls needs none. Rejects when `port` itself is not to be had.
 */
export async function listenSideBySide(rpc: Server, sockets: Server, port: number): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const bound = await listenOn(rpc, port);
    const hasBoth = await listenOn(sockets, bound + 1).then(
      () => true,
      () => false,
    );
    if (hasBoth || port !== 0) return bound;
    if (attempt === ATTEMPTS) throw new Error(`no two free ports side by side on ${HOST} in ${ATTEMPTS} attempts`);
    rpc.close();
    await once(rpc, 'close');
  }
}

function listenOn(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => {
      server.off('listening', listening);
      reject(error);
    };
    const listening = (): void => {
      server.off('error', failed);
      const address: AddressInfo | string | null = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    };
    server.once('error', failed);
    server.once('listening', listening);
    server.listen(port, HOST);
  });
}
