import { type ChildProcess, fork } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../message-of.ts';
import { DevnetError } from './devnet-error.ts';
import { folderFiles, writeWhole } from './folder.ts';
import { isRecord } from './json.ts';
import { entryBeside } from './own-runtime.ts';
import type { Part, PartContext } from './part.ts';
import type { PartAddresses } from './protocol.ts';
import { describeExit, Tail } from './tail.ts';

/** The engine closes in some 50 ms; after this it is killed, which loses nothing that was acknowledged as journaled. */
const STOP_MS = 5000;

/** MongoDB in a child process; while it runs, `DATA_DIR/mongodb.uri` holds its address. */
export function mongoPart(context: PartContext): Part {
  const uriFile = join(context.folder.path, folderFiles.mongoUri);
  let child: ChildProcess | undefined;
  let stopping = false;

  return {
    async start() {
      await rm(uriFile, { force: true });
      child = forkEngine(context);
      const address = await firstWord(child, context, () => stopping);
      await writeWhole(uriFile, `${address.uri}\n`);
      return { type: 'ready', part: 'mongo', address };
    },
    async stop() {
      stopping = true;
      try {
        await rm(uriFile, { force: true });
        if (child) await endChild(child);
      } catch (error) {
        context.log(`MongoDB did not end as it should: ${messageOf(error)}`);
      }
    },
    kill() {
      stopping = true;
      child?.kill('SIGKILL');
    },
  };
}

function forkEngine({ folder, runFolder }: PartContext): ChildProcess {
  const { file, execArgv } = entryBeside('mongo-child');
  return fork(file, [folder.path, runFolder], { execArgv, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
}

/** Waits for `ready` or `failed`; after `ready`, an end that was not asked for is reported as death. */
function firstWord(
  child: ChildProcess,
  context: PartContext,
  stopping: () => boolean,
): Promise<PartAddresses['mongo']> {
  const said = child.stderr ? new Tail(child.stderr) : undefined;
  return new Promise((resolve, reject) => {
    let ready = false;
    child.on('message', (message) => {
      const outcome = parseWord(message);
      if (typeof outcome === 'string') return reject(new DevnetError(outcome));
      if (outcome === undefined) return;
      ready = true;
      resolve(outcome);
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      const why = `The embedded MongoDB has ended (${describeExit(code, signal)}): ${said?.text() || 'it said nothing'}`;
      if (!ready) return reject(new DevnetError(why));
      if (!stopping()) context.died(why);
    });
  });
}

/** An address, or the text of a failure. */
function parseWord(message: unknown): PartAddresses['mongo'] | string | undefined {
  if (!isRecord(message)) return undefined;
  if (message['type'] === 'failed') return String(message['message']);
  const address = message['address'];
  if (!isRecord(address) || typeof address['uri'] !== 'string') return undefined;
  return { uri: address['uri'], kind: address['kind'] === 'memory-server' ? 'memory-server' : 'embedded' };
}

function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const patience = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    child.once('exit', () => {
      clearTimeout(patience);
      resolve();
    });
    if (child.connected) child.send('stop');
    else child.kill('SIGKILL');
  });
}
