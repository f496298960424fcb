import { spawn } from 'node:child_process';
import { open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { folderFiles } from './folder.ts';
import { codeOf } from './json.ts';
import { entryBeside } from './own-runtime.ts';
import type { SupervisionOptions } from './supervision.ts';
import { describeExit } from './tail.ts';

const LOG_BYTES_MAX = 1_000_000;
const LAST_WORDS_BYTES_MAX = 2000;

/** The command line argument by which a service configures the supervisor that it starts. */
type SupervisorArguments = Pick<SupervisionOptions, 'folder' | 'version' | 'lingerMs' | 'savesEvm' | 'isEvmLarge'>;

/** A started supervisor. It may not get the folder. */
export interface SupervisorProcess {
  /** `undefined` while it runs; then the reason of its failure, or `''` after a normal end. */
  failure(): string | undefined;
}

/** A process and session of its own, which survives this one and Ctrl-C. Output: `supervisor.log`, below 1 MB. */
export async function startSupervisorProcess(
  values: SupervisorArguments,
  command: readonly string[] = commandBeside(),
): Promise<SupervisorProcess> {
  const { folder, version, lingerMs, savesEvm, isEvmLarge } = values;
  const { path, id } = folder;
  const logFile = join(path, folderFiles.log);
  const saidBefore = await logSize(logFile);
  const log = await open(logFile, 'a', 0o600);
  let failure: string | undefined;
  try {
    const given = [path, id, version, lingerMs, savesEvm, isEvmLarge].map(String);
    const child = spawn(process.execPath, [...command, ...given], {
      cwd: path,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    child.once('error', (error) => {
      failure = error.message;
    });
    child.once('exit', (code, signal) => {
      if (code === 0) {
        failure = '';
        return;
      }
      const none = () => '';
      void lastWords(logFile, saidBefore)
        .catch(none)
        .then((words) => {
          failure = words || `it ended with ${describeExit(code, signal)} and no output`;
        });
    });
    child.unref();
  } finally {
    await log.close();
  }
  return { failure: () => failure };
}

function commandBeside(): readonly string[] {
  const { file, execArgv } = entryBeside('supervisor');
  return [...execArgv, file];
}

/** The size of the log, after an old one that is too large was moved away. */
async function logSize(logFile: string): Promise<number> {
  try {
    const { size } = await stat(logFile);
    if (size <= LOG_BYTES_MAX) return size;
    await rename(logFile, `${logFile}.1`);
    return 0;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0;
    throw error;
  }
}

async function lastWords(logFile: string, from: number): Promise<string> {
  const file = await open(logFile, 'r');
  try {
    const { size } = await file.stat();
    const start = Math.max(from, size - LAST_WORDS_BYTES_MAX);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, size - start)), 0, null, start);
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await file.close();
  }
}

/** @throws for any arguments that `startSupervisorProcess` did not give */
export function readSupervisorArguments(given: readonly string[]): SupervisorArguments {
  const [path, id, version, lingerMs, ...flags] = given;
  if (path === undefined || id === undefined || version === undefined || flags.length !== 2) {
    throw new Error(
      `The supervisor is started by the service, with path and id of the folder, version, lingerMs, savesEvm, isEvmLarge; got ${given.join(' ')}`,
    );
  }
  const [savesEvm = false, isEvmLarge = false] = flags.map((flag) => flag === 'true');
  return { folder: { path, id }, version, lingerMs: Number(lingerMs), savesEvm, isEvmLarge };
}
