import { once } from 'node:events';
import type { Server } from 'node:http';

const HOST = '127.0.0.1';
const ATTEMPTS = 20;

/**
 * Makes the RPC listen on `port`, and the WebSocket on the next one, where the ordinary client expects it. Resolves
 * with the port of the RPC. With 0, the system chooses two neighbouring free ports. If another process has the port
 * above a given one, the WebSocket is left out; polling clients do not need it. Rejects if `port` itself is taken.
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

async function listenOn(server: Server, port: number): Promise<number> {
  await once(server.listen(port, HOST), 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
