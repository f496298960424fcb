import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { until } from '../../../stage/until.ts';

/** One process of a data folder; its arguments contain the folder's path. */
export interface FolderProcess {
  pid: number;
  /** Its command line. */
  command: string;
}

/** The processes that run on `dataDir` now, without this one. */
export async function processesOf(dataDir: string): Promise<FolderProcess[]> {
  const all = process.platform === 'linux' ? await linuxProcesses() : await otherProcesses();
  return all.filter(({ pid, command }) => pid !== process.pid && command.includes(dataDir));
}

/**
 * Reads /proc directly, because a small Linux has no `ps`. An ended process that nobody has waited for has no command
 * line.
 */
async function linuxProcesses(): Promise<FolderProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(
    pids.map(async (pid) => {
      const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return { pid: Number(pid), command: words.replaceAll('\0', ' ') };
    }),
  );
}

async function otherProcesses(): Promise<FolderProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axww', '-o', 'pid=,args=']);
  return stdout.split('\n').map((line) => {
    return { pid: Number.parseInt(line, 10), command: line.trim().replace(/^\d+ /, '') };
  });
}

/** The one process of `dataDir` whose command line matches `word`. */
export async function processOf(dataDir: string, word: RegExp): Promise<number> {
  const found = (await processesOf(dataDir)).filter(({ command }) => word.test(command));
  const [only] = found;
  if (!only || found.length > 1) throw new Error(`Expected one process ${word} on ${dataDir}, found ${found.length}`);
  return only.pid;
}

export const SUPERVISOR = /supervisor\.ts/;
export const MONGO = /mongo-child\.ts/;
/** The node itself, not the shell around it. */
export const EVM_NODE = /^\S*anvil /;
export const SOLANA = /solana-child\.ts/;

/** Resolves when no process of `dataDir` is left. */
export async function untilNoneIsLeft(dataDir: string): Promise<void> {
  await until(
    `no process of ${dataDir} is left`,
    () => processesOf(dataDir),
    (left) => left.length === 0,
  );
}

/** Resolves when this process of `dataDir` has ended. */
export async function untilGone(dataDir: string, pid: number): Promise<void> {
  await until(
    `process ${pid} has ended`,
    () => processesOf(dataDir),
    (left) => left.every((each) => each.pid !== pid),
  );
}
