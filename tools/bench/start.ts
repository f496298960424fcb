import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { joinDevnet } from '../../devnet/join.ts';
import { bundledCommand, commandOf, SUPERVISOR } from '../../scripts/lib/build.ts';
import { cleanEnvironment, servedUrl, spawnService } from '../../scripts/lib/service-process.ts';
import { packageVersion } from '../../src/package/version.ts';
import type { Bench } from './bench.ts';
import { hold } from './contest.ts';

const START_MS = 60_000;
const AT_MOST = 3;
const ROUNDS = 5;

/** `npm start` until it serves, against the embedded database and the local chains alone. */
export const start: Bench = {
  name: 'start',
  about: '`npm start` until it serves, against its database and chains alone',
  run: async (run) => {
    const folder = await mkdtemp(join(tmpdir(), 'tideline-bench-start-'));
    const [serviceData, partsData] = [join(folder, 'service'), join(folder, 'parts')];
    try {
      const again = await hold(
        {
          name: 'start on a data folder that exists',
          unit: 'ms',
          product: () => serviceStart(serviceData),
          baseline: () => partsStart(partsData),
          target: { atMost: AT_MOST },
          rounds: ROUNDS,
          turns: 1,
        },
        run,
      );
      let number = 0;
      const first = await hold(
        {
          name: 'first start, which makes the data folder',
          unit: 'ms',
          product: () => serviceStart(join(folder, `service-${++number}`)),
          baseline: () => partsStart(join(folder, `parts-${number}`)),
          target: null,
          rounds: ROUNDS,
          turns: 1,
        },
        run,
      );
      return [again, first];
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  },
};

/** Milliseconds from the command to `serving`; then the service and all of its parts end. */
async function serviceStart(dataDir: string): Promise<number> {
  const began = performance.now();
  const anyPort = { PORT: '0', LOCAL_EVM_PORT: '0', LOCAL_SOLANA_PORT: '0' };
  const env = { ...cleanEnvironment(process.env), DATA_DIR: dataDir, HOST: '127.0.0.1', NO_COLOR: '1', ...anyPort };
  const service = spawnService({ command: bundledCommand('src/main'), env });
  const url = await servedUrl(service, START_MS);
  const took = performance.now() - began;
  await service.stop(START_MS);
  if (url === null) throw new Error(`the service did not serve within ${START_MS} ms:\n${service.log()}`);
  return took;
}

/** Milliseconds until the same database and chains answer without a service. Their processes are the ones of `npm start`. */
async function partsStart(dataDir: string): Promise<number> {
  const began = performance.now();
  const devnet = await joinDevnet({
    dataDir,
    version: packageVersion(),
    want: { mongo: true, evm: true, solana: true },
    evmPort: 0,
    supervisor: commandOf(SUPERVISOR),
    log: () => undefined,
  });
  const took = performance.now() - began;
  await devnet.leave({ graceful: true });
  return took;
}
