import { join } from 'node:path';
import type { Command } from '../../scripts/lib/build.ts';
import { cleanEnvironment, servedUrl, spawnService } from '../../stage/service-process.ts';

/** A process of the measured service. */
export interface BenchService {
  /** Without the version segment. */
  readonly url: string;
  readonly pid: number;
  /** Sends SIGTERM, and waits for the end. */
  stop(): Promise<void>;
}

/** The setting of both sides of a comparison. */
export const NODE_ENV = 'production';

/** The flags of the image (Dockerfile); baselines have them too. */
export const NODE_FLAGS = ['--max-semi-space-size=64'] as const;

const START_MS = 30_000;

let started = 0;

/**
 * Serves the API without local chains; its log goes to a file in `folder`, as in a deployment. Resolves when it is
 * ready; throws with its log if it ends first.
 */
export async function startService(
  command: Command,
  folder: string,
  env: { readonly [name: string]: string },
): Promise<BenchService> {
  started += 1;
  const service = spawnService({
    command: [...NODE_FLAGS, ...command],
    logFile: join(folder, `service-${started}.log`),
    env: {
      ...cleanEnvironment(process.env),
      NODE_ENV,
      HOST: '127.0.0.1',
      PORT: '0',
      NO_COLOR: '1',
      TIDELINE_ROLE: 'api',
      LOCAL_DEVNETS: 'off',
      DATA_DIR: join(folder, `service-${started}`),
      ...env,
    },
  });
  const url = await servedUrl(service, START_MS);
  if (url === null) {
    service.signal('SIGKILL');
    throw new Error(`the service ended, or was not up after ${START_MS} ms:\n${service.log()}`);
  }
  return { url, pid: service.pid, stop: async () => void (await service.stop()) };
}
