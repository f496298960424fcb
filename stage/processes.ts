import { type Command, commandOf } from '../scripts/lib/build.ts';
import { freePort } from '../scripts/lib/free-port.ts';
import { listeningUrl } from '../src/http/listening-url.ts';
import { cleanEnvironment, type ServiceProcess as Spawned, spawnService } from './service-process.ts';
import { until } from './until.ts';

/** A start takes a second or two, but up to a minute on a busy machine. */
const READY_MS = 180_000;
const POLL_MS = 50;

/** A process that listens on a chosen port. */
export interface ServiceProcess extends Spawned {
  /** Without the version segment. */
  readonly url: string;
}

export type Environment = { readonly [name: string]: string };

export interface ServiceOptions {
  readonly dataDir: string;
  readonly env?: Environment;
  /** The file of the log; without it the log stays in memory. */
  readonly logFile?: string;
}

interface StartOptions extends ServiceOptions {
  readonly signal?: AbortSignal | undefined;
  /** Node's arguments; by default those of `npm start`. */
  readonly command?: Command | undefined;
}

/** Starts service processes and keeps track of them. */
export class ServiceProcesses {
  readonly #command: Command;
  readonly #running = new Set<ServiceProcess>();

  constructor(command: Command = commandOf('src/main')) {
    this.#command = command;
  }

  /** Starts a process on a free port. It may not be ready yet. */
  async spawn(options: ServiceOptions): Promise<ServiceProcess> {
    const service = spawned(this.#command, options, options.env?.['PORT'] ?? String(await freePort()));
    this.#running.add(service);
    void service.exited.then(() => this.#running.delete(service));
    return service;
  }

  /** In the order in which they were started. */
  get running(): readonly ServiceProcess[] {
    return [...this.#running];
  }

  /** Ends the running processes with SIGKILL. */
  async killAll(): Promise<void> {
    await Promise.all(
      this.running.map(async (service) => {
        service.signal('SIGKILL');
        await service.exited;
      }),
    );
  }
}

/** Starts one process on a free port, until it is ready. If it fails, or `signal` aborts, none is left. */
export async function startService(options: StartOptions): Promise<ServiceProcess> {
  const processes = new ServiceProcesses(options.command);
  const service = await processes.spawn(options);
  const abort = () => void processes.killAll();
  options.signal?.addEventListener('abort', abort);
  try {
    await untilReady(service);
    return service;
  } catch (error) {
    await processes.killAll();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', abort);
  }
}

/** Resolves when `/readyz` answers 200. Throws with the log if the process ends first. */
export async function untilReady(service: ServiceProcess): Promise<void> {
  const ended = new AbortController();
  void service.exited.then(({ code, signal }) =>
    ended.abort(new Error(`the service ended with ${signal ?? code} before it was ready:\n${service.log()}`)),
  );
  const ask = () => fetch(`${service.url}/readyz`, { signal: ended.signal }).catch(() => null);
  const how = { everyMs: POLL_MS, withinMs: READY_MS, signal: ended.signal, explain: service.log };
  await until('the service is ready', ask, (answer) => answer?.ok === true, how);
}

function spawned(command: Command, { dataDir, env, logFile }: ServiceOptions, port: string): ServiceProcess {
  const url = listeningUrl(env?.['HOST'] ?? '127.0.0.1', Number(port));
  if (url === null) throw new Error(`HOST ${env?.['HOST']} has no URL`);
  const service = spawnService({
    command,
    ...(logFile === undefined ? {} : { logFile }),
    env: {
      ...cleanEnvironment(process.env),
      DATA_DIR: dataDir,
      PORT: port,
      LOCAL_EVM_PORT: '0',
      LOCAL_SOLANA_PORT: '0',
      LOCAL_DEVNETS: 'evm',
      // A shorter tick costs more calls than it saves time (docs/adr/tests.md).
      TICK_MS: '500',
      WEBHOOK_ALLOW_LOOPBACK: '1',
      ...env,
    },
  });
  return { ...service, url };
}
