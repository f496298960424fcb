import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonRpcProvider } from 'ethers';
import { resetFolder } from '../../devnet/reset.ts';
import { connectTo } from '../../stage/connect.ts';
import { type Receiver, startReceiver } from '../../stage/receiver.ts';
import { type DevnetFacts, devnetFacts } from '../lib/devnet-facts.ts';
import { type Environment, staffToken } from '../lib/running-service.ts';
import { ScriptError } from '../lib/script.ts';
import { type DemoService, lastWords, startServiceProcess } from './service-process.ts';

/** The service, chain and receiver of one demo run. */
export interface World {
  /** The service's URL without the version segment. */
  readonly url: string;
  readonly staffToken: string;
  readonly dataDir: string;
  readonly logFile: string;
  readonly chain: DevnetFacts;
  readonly provider: JsonRpcProvider;
  readonly receiver: Receiver;
  /** Rejects if the service ends too early. */
  readonly lost: Promise<never>;
  /** Stops the service: it finishes its current work, and delivers nothing more. */
  stopService(): Promise<void>;
  /** Stops everything and deletes the folder. */
  stop(): Promise<void>;
}

/** Undoes one step of the start; called in the opposite order. */
type Stop = () => Promise<void>;

export interface WorldOptions {
  readonly environment: Environment;
  /** Seconds for which an announced payee waits. */
  readonly payeeDelay: number;
  /** When it aborts, a start in progress is undone. */
  readonly signal: AbortSignal;
}

/**
 * Starts a service with database and chain in a new temporary folder, and a webhook endpoint.
 *
 * @throws ScriptError with the reason; then nothing is left behind
 */
export async function startWorld(options: WorldOptions): Promise<World> {
  const stops: Stop[] = [];
  const stop = async (): Promise<void> => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), 'tideline-demo-'));
    stops.push(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
    return await worldIn(folder, options, stops, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function worldIn(folder: string, options: WorldOptions, stops: Stop[], stop: Stop): Promise<World> {
  const receiver = await startReceiver();
  stops.push(() => receiver.close());
  const dataDir = join(folder, 'data');
  const logFile = join(folder, 'service.log');
  // Also stops the database and the chain if the service has died without doing so.
  stops.push(async () => void (await resetFolder(dataDir)));
  const service = await startServiceProcess({ dataDir, logFile, ...options });
  const watch = watchOver(service, logFile);
  stops.push(watch.stopService);
  const chain = await devnetFacts(service);
  const provider = connectTo(chain);
  stops.push(async () => provider.destroy());
  const { token } = staffToken({ DATA_DIR: dataDir });
  return { url: service.url, staffToken: token, dataDir, logFile, chain, provider, receiver, ...watch, stop };
}

function watchOver(service: DemoService, logFile: string): Pick<World, 'lost' | 'stopService'> {
  let isAsked = false;
  const lost = service.ended.then((how): Promise<never> => {
    if (isAsked) return new Promise<never>(() => undefined);
    throw new ScriptError(`The service ${how} during the demo.\n${lastWords(logFile)}`.trimEnd());
  });
  // Keeps a rejection from being unhandled if nobody races against it any more.
  lost.catch(() => undefined);
  return {
    lost,
    stopService: async () => {
      isAsked = true;
      await service.stop();
    },
  };
}
