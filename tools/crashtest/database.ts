import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { type MongoEngine, startEngine } from './engine.ts';

/** A database of a run's own, at one address for as long as it lives, whatever is done to its process. */
export interface Database {
  readonly uri: string;
  /** SIGKILL to its process, and another one on the same data. Resolves when that answers. */
  killAndRestart(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/**
 * Starts one behind a port of its own: the engine has a new socket at each start, and what it is killed under must find the
 * next one where the last one was.
 */
export async function startDatabase(): Promise<Database> {
  let engine: MongoEngine = await startEngine();
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(placeOf(engine.uri));
    for (const socket of [client, upstream]) {
      open.add(socket);
      // Whatever breaks on one side is broken on the other one too.
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

/** Where an engine listens: its address is a socket of the file system, or host and port. */
function placeOf(uri: string): NetConnectOpts {
  const [, host = ''] = /^mongodb:\/\/([^/?]+)/.exec(uri) ?? [];
  const place = decodeURIComponent(host);
  if (place.startsWith('/')) return { path: place };
  const { hostname, port } = new URL(`tcp://${place}`);
  return { host: hostname, port: Number(port) };
}
