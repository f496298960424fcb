import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const READY_MS = 20_000;
const POLL_MS = 25;

/** One process of the real service, as `npm start` starts it. */
export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  /** How it ended, once it has. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Everything that it has written to stderr so far: its log. */
  log(): string;
  output(): string;
  signal(signal: NodeJS.Signals): void;
  /** SIGTERM, and the end. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly dataDir: string;
  readonly env?: { readonly [name: string]: string };
  /** Resolve only when `/health` answers 200; else as soon as it has been started. */
  readonly waitUntilReady?: boolean;
}

const running = new Set<ChildProcess>();

afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts the service on a free port. Throws with its last words when it ends before it is ready. */
export async function startServiceProcess(options: ServiceOptions): Promise<ServiceProcess> {
  const port = options.env?.['PORT'] ?? String(await freePort());
  const child = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'src/main.ts')], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...cleanEnvironment(),
      DATA_DIR: options.dataDir,
      PORT: port,
      LOCAL_EVM_PORT: '0',
      TICK_MS: '200',
      WEBHOOK_ALLOW_LOOPBACK: '1',
      ...options.env,
    },
  });
  running.add(child);
  let log = '';
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const exited = once(child, 'exit').then(([code, signal]: unknown[]) => {
    running.delete(child);
    return { code: typeof code === 'number' ? code : null, signal: isSignal(signal) ? signal : null };
  });
  const service: ServiceProcess = {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    exited,
    log: () => log,
    output: () => output,
    signal: (signal) => {
      child.kill(signal);
    },
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
  if (options.waitUntilReady !== false) await ready(service);
  return service;
}

async function ready(service: ServiceProcess): Promise<void> {
  const deadline = performance.now() + READY_MS;
  const ended = service.exited.then(({ code, signal }) => {
    throw new Error(`the service ended with ${signal ?? code} before it was ready:\n${service.log()}`);
  });
  ended.catch(() => {});
  while (performance.now() < deadline) {
    const answered = await Promise.race([fetch(`${service.url}/health`).catch(() => null), ended]);
    if (answered?.ok) return;
    await Promise.race([delay(POLL_MS), ended]);
  }
  throw new Error(`the service was not ready after ${READY_MS} ms:\n${service.log()}`);
}

/** The staff token that an embedded service keeps in its data folder. */
export async function staffTokenOf(dataDir: string): Promise<string> {
  return (await readFile(join(dataDir, 'staff-token'), 'utf8')).trim();
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Nothing of the test runner's own environment changes how the service behaves. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }) };
}

function isSignal(value: unknown): value is NodeJS.Signals {
  return typeof value === 'string';
}
