import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { entryBeside } from '../../devnet/own-runtime.ts';

const word = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), address: z.object({ uri: z.string() }) }),
  z.object({ type: z.literal('failed'), message: z.string() }),
]);

/** A real MongoDB in its own process, so that it can be killed. */
export interface MongoEngine {
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
  const child = fork(file, [folder], {
    execArgv,
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const uri = await firstWord(child);
  return {
    uri,
    dataDir: folder,
    kill: () => ended(child, 'SIGKILL'),
    async stop() {
      await ended(child, 'SIGKILL');
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

async function firstWord(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code, signal) => reject(new Error(`the engine ended before it was ready (${code ?? signal})`)));
    child.once('error', reject);
    child.once('message', (message) => {
      const answer = word.parse(message);
      if (answer.type === 'ready') resolve(answer.address.uri);
      else reject(new Error(answer.message));
    });
  });
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}
