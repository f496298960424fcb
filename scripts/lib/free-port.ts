import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems assign automatically; Linux uses 32768 and above for connections. */
const LOWEST = 12_000;
/** Each process has its own range, so that two processes never find the same port. */
const OWN = 100;
const PROCESSES = 200;

let next = Math.floor(Math.random() * OWN);

/**
 * A free port of 127.0.0.1 for a process that starts soon. Nobody gets the port by chance before the process listens,
 * or while it restarts.
 *
 * @throws Error if all ports of this process are taken
 */
export async function freePort(): Promise<number> {
  const first = LOWEST + (process.pid % PROCESSES) * OWN;
  for (let tries = 0; tries < OWN; tries += 1) {
    const port = first + (next++ % OWN);
    if (await isFree(port)) return port;
  }
  throw new Error(`every port from ${first} to ${first + OWN - 1} is taken`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
