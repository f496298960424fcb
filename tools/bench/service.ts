import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from '../../scripts/lib/build.ts';

/** A process of the service that is being measured. */
export interface BenchService {
  /** Without the version segment. */
  readonly url: string;
  readonly pid: number;
  /** SIGTERM, and the end. */
  stop(): Promise<void>;
}

/** What both sides of a comparison run with. */
export const NODE_ENV = 'production';

/** As the image starts the service (Dockerfile); baselines are started with it too. */
export const NODE_FLAGS = ['--max-semi-space-size=64'] as const;

const START_MS = 30_000;
const POLL_MS = 25;

let started = 0;

/**
 * Serves the API alone, without local chains, its log going to a file in `folder` as a deployment's would. Resolves when
 * it is up; throws with its log when it ends before.
 */
export async function startService(
  command: Command,
  folder: string,
  env: { readonly [name: string]: string },
): Promise<BenchService> {
  started += 1;
  const logFile = join(folder, `service-${started}.log`);
  const child = spawned(command, logFile, {
    TIDELINE_ROLE: 'api',
    LOCAL_DEVNETS: 'off',
    DATA_DIR: join(folder, `service-${started}`),
    ...env,
  });
  const exited = once(child, 'exit');
  const url = await urlLogged(logFile, child);
  return {
    url,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function spawned(command: Command, logFile: string, env: { readonly [name: string]: string }): ChildProcess {
  const log = openSync(logFile, 'a');
  const { PATH, HOME, TMPDIR } = process.env;
  const own = { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }) };
  try {
    return spawn(process.execPath, [...NODE_FLAGS, ...command], {
      env: { ...own, NODE_ENV, HOST: '127.0.0.1', PORT: '0', NO_COLOR: '1', ...env },
      stdio: ['ignore', 'ignore', log],
    });
  } finally {
    closeSync(log);
  }
}

/** The service logs where it is, once it is up. */
async function urlLogged(logFile: string, child: ChildProcess): Promise<string> {
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline && child.exitCode === null && child.signalCode === null) {
    const url = /"url":"(http[^"]+)"/.exec(readFileSync(logFile, 'utf8'))?.[1];
    if (url !== undefined) return url;
    await delay(POLL_MS);
  }
  child.kill('SIGKILL');
  throw new Error(`the service ended, or was not up after ${START_MS} ms:\n${readFileSync(logFile, 'utf8')}`);
}
