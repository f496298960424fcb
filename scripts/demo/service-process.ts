import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { commandOf } from '../lib/build.ts';
import type { Environment } from '../lib/running-service.ts';
import { ScriptError } from '../lib/script.ts';

/** A Tideline that was started for the demo: the same process as `npm start`. */
export interface ServiceProcess {
  /** Without the version segment. */
  readonly url: string;
  /** Resolves when the process has ended, with how. */
  readonly ended: Promise<string>;
  /** SIGTERM, and SIGKILL for what does not end by itself. Resolves when the process has ended. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly dataDir: string;
  /** Gets the service's log. */
  readonly logFile: string;
  readonly environment: Environment;
  /** Aborted: a service that is not up yet is ended. */
  readonly signal: AbortSignal;
}

/** The service's own promise is 10 s. */
const STOP_MS = 12_000;

/** Of the surroundings only this reaches the service: no database, chain or key that somebody has set for another one. */
const INHERITED = /^(PATH|HOME|TMPDIR|TMP|TEMP|USERPROFILE|SYSTEMROOT|LANG|LC_\w+|TZ|LD_LIBRARY_PATH|MONGOMS_\w+)$/i;

/** A first start may have to fetch a MongoDB (mongodb-memory-server, where the embedded engine has no build). */
const START_MS = 120_000;

/** Starts a service on free ports and resolves when it is up. Throws a ScriptError with its last words when it is not. */
export async function startServiceProcess(options: ServiceOptions): Promise<ServiceProcess> {
  const { child, stdout } = spawnService(options);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) => resolve(signal === null ? `ended with ${code}` : `was ended by ${signal}`));
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    child.kill('SIGTERM');
    const patience = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(patience);
  };
  const abort = () => void stop();
  options.signal.addEventListener('abort', abort);
  try {
    return { url: await firstUrl(stdout, ended, options.logFile), ended, stop };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    options.signal.removeEventListener('abort', abort);
  }
}

function spawnService({ dataDir, logFile, environment }: ServiceOptions) {
  const log = openSync(logFile, 'a');
  try {
    const child: ChildProcess = spawn(process.execPath, commandOf('src/main'), {
      env: {
        ...inherited(environment),
        DATA_DIR: dataDir,
        HOST: '127.0.0.1',
        PORT: '0',
        LOCAL_EVM_PORT: '0',
        LOCAL_SOLANA_PORT: '0',
        WEBHOOK_ALLOW_LOOPBACK: '1',
        NO_COLOR: '1',
      },
      stdio: ['ignore', 'pipe', log],
    });
    if (child.stdout === null) throw new Error('the service has no stdout');
    return { child, stdout: child.stdout };
  } finally {
    closeSync(log);
  }
}

function inherited(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => INHERITED.test(name)));
}

/** The service says where it is, once it is up. */
function firstUrl(stdout: NodeJS.ReadableStream, ended: Promise<string>, logFile: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      clearTimeout(late);
      reject(new ScriptError(`The service ${why}.\n${lastWords(logFile)}`.trimEnd()));
    };
    const late = setTimeout(() => fail(`was not up after ${START_MS / 1_000} s`), START_MS);
    let said = '';
    stdout.setEncoding('utf8');
    stdout.on('data', (chunk) => {
      said += chunk;
      const url = /^\s*API\s+(http\S+)\/v1\s*$/m.exec(said)?.[1];
      if (url === undefined) return;
      clearTimeout(late);
      resolve(url);
    });
    void ended.then(fail);
  });
}

const LAST_LINES = 12;
const LOG_LEVEL_WARN = 40;

/** What the log has at the end that people should see: warnings and errors, and what is no log line at all. */
export function lastWords(logFile: string): string {
  const lines = readFileSync(logFile, 'utf8').split('\n').filter(isForPeople);
  return lines.slice(-LAST_LINES).join('\n');
}

function isForPeople(line: string): boolean {
  if (line.trim() === '') return false;
  const level = /^\{"level":(\d+),/.exec(line)?.[1];
  return level === undefined || Number(level) >= LOG_LEVEL_WARN;
}
