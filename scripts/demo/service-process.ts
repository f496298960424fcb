import { readFileSync } from 'node:fs';
import {
  cleanEnvironment,
  type Exit,
  type ServiceProcess,
  servedUrl,
  spawnService,
} from '../../stage/service-process.ts';
import { commandOf } from '../lib/build.ts';
import type { Environment } from '../lib/running-service.ts';
import { ScriptError } from '../lib/script.ts';

/** The service of the demo, the same process as `npm start`. */
export interface DemoService {
  /** Without the version segment. */
  readonly url: string;
  /** Resolves with the kind of end when the process has ended. */
  readonly ended: Promise<string>;
  /** Sends SIGTERM, and SIGKILL if the process does not end. Resolves when it has ended. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly dataDir: string;
  /** The file of the service's log. */
  readonly logFile: string;
  readonly environment: Environment;
  /** Seconds for which an announced payee waits. */
  readonly payeeDelay: number;
  /** When it aborts, a service that is still starting is stopped. */
  readonly signal: AbortSignal;
}

/** The service promises to stop within 10 s. */
const STOP_MS = 12_000;

/** A first start may download a MongoDB (mongodb-memory-server, if the embedded engine has no build). */
const START_MS = 120_000;

/** Starts a service on free ports. Resolves when it is ready; throws a ScriptError with its last output if it fails. */
export async function startServiceProcess(options: ServiceOptions): Promise<DemoService> {
  const service = spawned(options);
  const ended = service.exited.then(endText);
  const stop = async (): Promise<void> => void (await service.stop(STOP_MS));
  const abort = () => void stop();
  options.signal.addEventListener('abort', abort);
  try {
    const url = await servedUrl(service, START_MS);
    if (url !== null) return { url, ended, stop };
    const why = service.isRunning() ? `was not up after ${START_MS / 1_000} s` : await ended;
    throw new ScriptError(`The service ${why}.\n${lastWords(options.logFile)}`.trimEnd());
  } catch (error) {
    await stop();
    throw error;
  } finally {
    options.signal.removeEventListener('abort', abort);
  }
}

function spawned({ dataDir, logFile, environment, payeeDelay }: ServiceOptions): ServiceProcess {
  return spawnService({
    command: commandOf('src/main'),
    logFile,
    env: {
      ...cleanEnvironment(environment),
      DATA_DIR: dataDir,
      HOST: '127.0.0.1',
      PORT: '0',
      LOCAL_EVM_PORT: '0',
      LOCAL_SOLANA_PORT: '0',
      LOCAL_PAYEE_DELAY: String(payeeDelay),
      WEBHOOK_ALLOW_LOOPBACK: '1',
      NO_COLOR: '1',
    },
  });
}

function endText({ code, signal }: Exit): string {
  if (signal !== null) return `was ended by ${signal}`;
  return code === null ? 'could not be started' : `ended with ${code}`;
}

const LAST_LINES = 12;
const LEVELS_FOR_PEOPLE: readonly string[] = ['warn', 'error', 'fatal'];

/** The last lines of the log for people: warnings, errors, and lines that are not log entries. */
export function lastWords(logFile: string): string {
  const lines = readFileSync(logFile, 'utf8').split('\n').filter(isForPeople);
  return lines.slice(-LAST_LINES).join('\n');
}

function isForPeople(line: string): boolean {
  if (line.trim() === '') return false;
  const level = /^\{"level":"(\w+)",/.exec(line)?.[1];
  return level === undefined || LEVELS_FOR_PEOPLE.includes(level);
}
