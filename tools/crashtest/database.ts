import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { upstreamOf } from '../lib/mongo-wire.ts';
import { type MongoEngine, startEngine } from './engine.ts';

/** A database for one run. Its address stays the same when its process is replaced. */
export interface Database {
  readonly uri: string;
  /** Kills its process with SIGKILL and starts another one on the same data. Resolves when that one answers. */
  killAndRestart(): Promise<void>;
  /** Stops it and deletes its data. */
  stop(): Promise<void>;
}

/**
 * Starts a database behind a port of this process. The engine has a new socket at each start, so the port hides the
 * change.
 */
export async function startDatabase(): Promise<Database> {
  let engine: MongoEngine = await startEngine();
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = upstreamOf(engine.uri)();
    for (const socket of [client, upstream]) {
      open.add(socket);
      // An error on one side closes the other side too.
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    uri: `mongodb://127.0.0.1:${address.port}/?directConnection=true`,
    async killAndRestart() {
      await engine.kill();
      engine = await startEngine(engine.dataDir);
    },
    async stop() {
      server.close();
      for (const socket of open) socket.destroy();
      await engine.stop();
    },
  };
}
