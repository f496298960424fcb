import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type Command, commandOf } from '../../scripts/lib/build.ts';
import { freePort } from '../../scripts/lib/free-port.ts';
import { listeningUrl } from '../../src/http/listening-url.ts';
import { packageRoot } from '../../src/package/root.ts';

/** A start takes a second or two; where many others want the same processors, a minute. */
const READY_MS = 180_000;
const POLL_MS = 50;

/** How a process has ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** One process of the real service. */
export interface ServiceProcess {
  /** Without the version segment. */
  readonly url: string;
  readonly pid: number;
  /** How it ended, once it has. */
  readonly exited: Promise<Exit>;
  isRunning(): boolean;
  /** Everything that it has written to stderr so far: its log. */
  log(): string;
  output(): string;
  signal(signal: NodeJS.Signals): void;
  /** SIGTERM, and the end. */
  stop(): Promise<Exit>;
}

export type Environment = { readonly [name: string]: string };

export interface ServiceOptions {
  readonly dataDir: string;
  readonly env?: Environment;
}

/** The processes that somebody has started, and nobody else's. */
export class ServiceProcesses {
  readonly #command: Command;
  readonly #running = new Set<ServiceProcess>();

  constructor(command: Command = commandOf('src/main')) {
    this.#command = command;
  }

  /** Starts one on a free port; it may not be up yet. */
  async spawn(options: ServiceOptions): Promise<ServiceProcess> {
    const service = spawned(this.#command, options, options.env?.['PORT'] ?? String(await freePort()));
    this.#running.add(service);
    void service.exited.then(() => this.#running.delete(service));
    return service;
  }

  /** Ends, with SIGKILL, those that still run. */
  async killAll(): Promise<void> {
    await Promise.all(
      [...this.#running].map(async (service) => {
        service.signal('SIGKILL');
        await service.exited;
      }),
    );
  }
}

/** Resolves when `/health` answers 200. Throws with its last words when it ends before that. */
export async function untilReady(service: ServiceProcess): Promise<void> {
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

function spawned(command: Command, { dataDir, env }: ServiceOptions, port: string): ServiceProcess {
  const child = spawn(process.execPath, [...command], {
    cwd: packageRoot(),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...cleanEnvironment(),
      DATA_DIR: dataDir,
      PORT: port,
      LOCAL_EVM_PORT: '0',
      LOCAL_SOLANA_PORT: '0',
      LOCAL_DEVNETS: 'evm',
      // A shorter tick costs more calls than it saves time (docs/adr/0072-shared-test-processes.md).
      TICK_MS: '500',
      WEBHOOK_ALLOW_LOOPBACK: '1',
      ...env,
    },
  });
  const url = listeningUrl(env?.['HOST'] ?? '127.0.0.1', Number(port));
  if (url === null) throw new Error(`HOST ${env?.['HOST']} has no URL`);
  const log = gathered(child.stderr);
  const output = gathered(child.stdout);
  const exited = endOf(child);
  return {
    url,
    pid: child.pid ?? 0,
    exited,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    log,
    output,
    signal: (signal) => {
      child.kill(signal);
    },
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

function gathered(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

async function endOf(child: ChildProcess): Promise<Exit> {
  await Promise.race([once(child, 'exit'), once(child, 'error')]);
  return { code: child.exitCode, signal: child.signalCode };
}

/** Nothing of the surroundings changes how the service behaves: no database, chain or key that was set for another one. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }) };
}
