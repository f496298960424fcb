import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstWord } from '../../devnet/child.ts';
import { addressIn } from '../../devnet/mongo-part.ts';
import { entryBeside } from '../../devnet/own-runtime.ts';
import { removeFolder } from '../../stage/remove-folder.ts';
import { MongoProxy } from '../lib/mongo-proxy.ts';
import { upstreamOf } from '../lib/mongo-wire.ts';

/** A database for one run. Its address stays the same when its process is replaced. */
export interface Database {
  readonly uri: string;
  /** Kills its process with SIGKILL and starts another one on the same data. Resolves when that one answers. */
  killAndRestart(): Promise<void>;
  /** Stops it and deletes its data. */
  stop(): Promise<void>;
}

/** A database behind a port of this process, because the engine has a new socket at each start. */
export async function startDatabase(): Promise<Database> {
  let engine: MongoEngine = await startEngine();
  const upstream = () => upstreamOf(engine.uri)();
  const proxy = await new MongoProxy(upstream, (client, server) => client.pipe(server).pipe(client)).open();
  return {
    uri: proxy.uri,
    async killAndRestart() {
      await engine.kill();
      engine = await startEngine(engine.dataDir);
    },
    async stop() {
      await proxy.close();
      await engine.stop();
    },
  };
}

/** A real MongoDB in its own process, so that it can be killed. */
interface MongoEngine {
  readonly uri: string;
  readonly dataDir: string;
  /** Kills it with SIGKILL. The data stays for another engine on `dataDir`. */
  kill(): Promise<void>;
  /** Stops it and deletes its data. */
  stop(): Promise<void>;
}

/** Starts an engine on a new folder, or on the folder of a killed engine. */
export async function startEngine(dataDir?: string): Promise<MongoEngine> {
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'tl-store-')));
  const { file, execArgv } = entryBeside('mongo-child');
  const env = { ...process.env, TMPDIR: folder };
  const child = fork(file, [folder], { execArgv, env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  const ready = { name: 'The engine', read: addressIn, isStopping: () => true, died: () => {} };
  const { uri } = await firstWord(child, ready);
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  const stop = async (): Promise<void> => {
    await kill();
    await removeFolder(folder);
  };
  return { uri, dataDir: folder, kill, stop };
}
