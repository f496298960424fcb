import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deleteRunFolder } from '../../../devnet/folder.ts';
import { type Devnet, type JoinOptions, joinDevnet } from '../../../devnet/join.ts';
import { onTestFinished } from '../../runner/after.ts';
import { processesOf } from './processes.ts';

/** A new folder for one test; its processes are killed and it is deleted after the test. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tideline-devnet-'));
  onTestFinished(() => clear(folder));
  return folder;
}

/** Kills the processes that a test has left running, and deletes the folder. */
async function clear(folder: string): Promise<void> {
  for (const { pid } of await processesOf(folder)) kill(pid);
  await deleteRunFolder(folder);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Joins the devnet of a folder: by default the EVM chain alone, on a free port, and for little longer than the test.
 */
export function joinAt(dataDir: string, options: Partial<JoinOptions> = {}): Promise<Devnet> {
  const want = { mongo: false, evm: true };
  return joinDevnet({ dataDir, version: '1', want, evmPort: 0, lingerMs: 1000, log: () => undefined, ...options });
}

export const MONGO_ONLY = { want: { mongo: true, evm: false } };
export const SOLANA_ONLY = { want: { solana: true } };
export const BOTH = { want: { mongo: true, evm: true } };

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was gone already.
  }
}
