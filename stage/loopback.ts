import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Server } from 'node:net';

/** Lets a server listen, by default on a free port of 127.0.0.1. Resolves with the port. @throws when it is taken */
export async function listen(server: Server, port = 0, host = '127.0.0.1'): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  return address.port;
}

export async function close(server: HttpServer | HttpsServer): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
