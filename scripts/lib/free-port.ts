import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below every port that a system gives to whoever asks for any: a connection from Linux comes from 32768 up. */
const LOWEST = 12_000;
/** Ports of one process: two processes that search at once do not find the same port. */
const OWN = 100;
const PROCESSES = 200;

let next = Math.floor(Math.random() * OWN);

/**
 * A port of 127.0.0.1 on which nobody listens, for a process that is about to be started. Between this answer and its
 * listening nobody gets the port by chance, and neither while it is down and about to come back.
 *
 * @throws Error when all ports of this process are taken
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
