import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Command } from '../scripts/lib/build.ts';
import type { Environment } from '../scripts/lib/running-service.ts';
import { packageRoot } from '../src/package/root.ts';
import { until } from './until.ts';

/** The end of a process. Both are null if it could not be started. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ServiceProcess {
  readonly pid: number;
  /** Resolves when it has ended. */
  readonly exited: Promise<Exit>;
  isRunning(): boolean;
  /** Its output on stderr so far, which is its log. */
  log(): string;
  /** Its output on stdout so far. */
  output(): string;
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGTERM, and SIGKILL after `patienceMs` if given. Resolves when the process has ended. */
  stop(patienceMs?: number): Promise<Exit>;
}

export interface SpawnOptions {
  /** Node's arguments: its own options, the program, the program's arguments. */
  readonly command: Command;
  readonly env: Environment;
  /** The file of the log; without it the log stays in memory. */
  readonly logFile?: string;
}

/** Starts a process of the service in the folder of the package, with only `env` as its environment. */
export function spawnService({ command, env, logFile }: SpawnOptions): ServiceProcess {
  const child = logFile === undefined ? spawnNode(command, env, 'pipe') : spawnLogging(command, env, logFile);
  const exited = endOf(child);
  const isRunning = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const memory = gathered(child.stderr);
  return {
    pid: child.pid ?? 0,
    exited,
    isRunning,
    log: logFile === undefined ? memory : () => readFileSync(logFile, 'utf8'),
    output: gathered(child.stdout),
    signal: (signal) => {
      child.kill(signal);
    },
    stop: async (patienceMs) => {
      child.kill('SIGTERM');
      const patience = patienceMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), patienceMs);
      return exited.finally(() => clearTimeout(patience));
    },
  };
}

function spawnLogging(command: Command, env: Environment, logFile: string): ChildProcess {
  const log = openSync(logFile, 'a');
  try {
    return spawnNode(command, env, log);
  } finally {
    closeSync(log);
  }
}

function spawnNode(command: Command, env: Environment, stderr: 'pipe' | number): ChildProcess {
  return spawn(process.execPath, [...command], { cwd: packageRoot(), stdio: ['ignore', 'pipe', stderr], env });
}

function gathered(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

async function endOf(child: ChildProcess): Promise<Exit> {
  await Promise.race([once(child, 'exit'), once(child, 'error')]).catch(() => undefined);
  return { code: child.exitCode, signal: child.signalCode };
}

/** The variables that a process inherits: none sets a database, chain or key. */
const INHERITED = /^(PATH|HOME|TMPDIR|TMP|TEMP|USERPROFILE|SYSTEMROOT|LANG|LC_\w+|TZ|LD_LIBRARY_PATH|MONGOMS_\w+)$/i;

/** The part of an environment that does not change the service's behaviour. */
export function cleanEnvironment(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => INHERITED.test(name)));
}

const POLL_MS = 25;

/** The URL in the log when the service serves, without version. Null: it ended, or took over `withinMs`. */
export function servedUrl(service: ServiceProcess, withinMs: number): Promise<string | null> {
  const url = () => /"url":"(http[^"]+)"/.exec(service.log())?.[1] ?? null;
  const isKnown = (found: string | null) => found !== null || !service.isRunning();
  return until('it serves', url, isKnown, { withinMs, everyMs: POLL_MS, orLast: true });
}
