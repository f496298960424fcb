import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { parseArgs } from 'node:util';
import { embeddedMongo } from '../../../devnet/mongo-engine.ts';

/**
 * A stand-in for `mongod`: opens the embedded engine in `--dbpath`, and forwards connections at `--bind_ip` and
 * `--port` to it. At SIGINT or SIGTERM it closes the engine and exits with 0.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    strict: false,
    options: { dbpath: { type: 'string' }, bind_ip: { type: 'string' }, port: { type: 'string' } },
  });
  const dataDir = String(values['dbpath']);
  const open = await embeddedMongo.load(dataDir);
  const mongo = await open(dataDir);
  const socketPath = decodeURIComponent(new URL(mongo.address.uri).host);

  const server = createServer((caller) => forward(caller, socketPath));
  server.listen(Number(values['port']), String(values['bind_ip']));
  await once(server, 'listening');
  console.log('Waiting for connections');

  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await mongo.close();
  process.exit(0);
}

function forward(caller: Socket, socketPath: string): void {
  const engine = connect(socketPath);
  caller.on('error', () => engine.destroy()).pipe(engine);
  engine.on('error', () => caller.destroy()).pipe(caller);
}

await main();
