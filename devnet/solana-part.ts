import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { LOCAL_SOLANA_CHAIN } from '../src/chains/catalog-rows.ts';
import { messageOf } from '../src/errors/message-of.ts';
import { endChild, firstWord } from './child.ts';
import { folderFiles, writeWhole } from './folder.ts';
import { entryBeside } from './own-runtime.ts';
import type { Part, PartContext } from './part.ts';
import { rememberedPort } from './remembered-port.ts';
import { writeSolanaArguments } from './solana-arguments.ts';

/**
 * It closes at once. After this time it is killed, which loses nothing: every change is written before anybody sees it.
 */
const STOP_MS = 3000;

/** The local Solana chain in a child process; every change is kept in the data folder. */
export function solanaPart(context: PartContext): Part {
  let child: ChildProcess | undefined;
  let stopping = false;

  return {
    async start() {
      child = await forkChain(context);
      const rpcUrl = await firstWord(child, {
        name: 'The local Solana chain',
        read: rpcUrlIn,
        isStopping: () => stopping,
        died: (why) => context.died(why),
      });
      await rememberPort(context, rpcUrl);
      return { type: 'ready', part: 'solana', address: { rpcUrl, chainId: 104 } };
    },
    async stop() {
      stopping = true;
      try {
        if (child) await endChild(child, STOP_MS);
      } catch (error) {
        context.log(`The local Solana chain did not stop cleanly: ${messageOf(error)}`);
      }
    },
    kill() {
      stopping = true;
      child?.kill('SIGKILL');
    },
  };
}

async function forkChain({ folder, solanaPort }: PartContext): Promise<ChildProcess> {
  const { file, execArgv } = entryBeside('solana-child');
  const remembered = solanaPort === 0 ? await rememberedPort(portFile(folder)) : undefined;
  const values = {
    path: join(folder.path, folderFiles.solanaJournal),
    folderId: folder.id,
    port: remembered ?? solanaPort,
    otherwise: solanaPort === 0 ? 0 : null,
    slotMs: LOCAL_SOLANA_CHAIN.blockMs,
  };
  return fork(file, [writeSolanaArguments(values)], { execArgv, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
}

function rpcUrlIn({ rpcUrl }: Record<string, unknown>): string | undefined {
  return typeof rpcUrl === 'string' ? rpcUrl : undefined;
}

/** The chain prefers the same port at the next start. */
async function rememberPort({ folder, solanaPort }: PartContext, rpcUrl: string): Promise<void> {
  const port = Number(new URL(rpcUrl).port);
  if (solanaPort !== 0 || port === (await rememberedPort(portFile(folder)))) return;
  await writeWhole(portFile(folder), `${port}\n`);
}

function portFile({ path }: PartContext['folder']): string {
  return join(path, folderFiles.solanaPort);
}
