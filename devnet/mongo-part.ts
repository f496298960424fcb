import { type ChildProcess, fork } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../src/errors/message-of.ts';
import { endChild, firstWord } from './child.ts';
import { folderFiles, writeWhole } from './folder.ts';
import { isRecord } from './json.ts';
import { entryBeside } from './own-runtime.ts';
import type { Part, PartContext } from './part.ts';
import type { PartAddresses } from './protocol.ts';

/**
 * The engine closes in some 50 ms. After this time it is killed, which loses no write that was acknowledged as
 * journaled.
 */
const STOP_MS = 5000;

/** MongoDB in a child process. While it runs, `DATA_DIR/mongodb.uri` holds its address. */
export function mongoPart(context: PartContext): Part {
  const uriFile = join(context.folder.path, folderFiles.mongoUri);
  let child: ChildProcess | undefined;
  let stopping = false;

  return {
    async start() {
      await rm(uriFile, { force: true });
      child = forkEngine(context);
      const address = await firstWord(child, {
        name: 'The embedded MongoDB',
        read: addressIn,
        isStopping: () => stopping,
        died: (why) => context.died(why),
      });
      await writeWhole(uriFile, `${address.uri}\n`);
      return { type: 'ready', part: 'mongo', address };
    },
    async stop() {
      stopping = true;
      try {
        await rm(uriFile, { force: true });
        if (child) await endChild(child, STOP_MS);
      } catch (error) {
        context.log(`MongoDB did not stop cleanly: ${messageOf(error)}`);
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

export function addressIn({ address }: Record<string, unknown>): PartAddresses['mongo'] | undefined {
  if (!isRecord(address) || typeof address['uri'] !== 'string') return undefined;
  return { uri: address['uri'], kind: address['kind'] === 'memory-server' ? 'memory-server' : 'embedded' };
}
