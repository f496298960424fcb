import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Devnet, type JoinOptions, joinDevnet } from '../../devnet/join.ts';
import { buildDist, bundledCommand, commandOf, SUPERVISOR } from '../../scripts/lib/build.ts';
import { packageRoot } from '../../src/package/root.ts';
import { packageVersion } from '../../src/package/version.ts';
import { cleanEnvironment, servedUrl, spawnService } from '../../stage/service-process.ts';
import type { Bench } from './bench.ts';
import { hold } from './contest.ts';
import { NODE_ENV, NODE_FLAGS } from './service.ts';

const START_MS = 60_000;
const AT_MOST = 3;
const IMAGE_AT_MOST = 1.5;
const COMMON = { unit: 'ms', rounds: 5, turns: 1 } as const;

/**
 * `npm start` until it serves, against the embedded database and the local chains alone.
 *
 * The row of the image starts the service as the container image does (Dockerfile): from the bundle of `npm run build`,
 * with the image's flags and environment, on a database that has its indexes. The image brings no database, so both
 * sides start the embedded one; after it the baseline starts Node with the same flags and an empty program.
 */
export const start: Bench = {
  name: 'start',
  about: 'the service until it serves, against its database and chains alone',
  run: async (run) => {
    const folder = await mkdtemp(join(tmpdir(), 'tideline-bench-start-'));
    const [serviceData, partsData] = [join(folder, 'service'), join(folder, 'parts')];
    try {
      const again = await hold(
        {
          ...COMMON,
          name: 'start on a data folder that exists',
          product: () => serviceStart(serviceData),
          baseline: () => partsStart(partsData),
          target: { atMost: AT_MOST },
        },
        run,
      );
      let number = 0;
      const first = await hold(
        {
          ...COMMON,
          name: 'first start, which makes the data folder',
          product: () => serviceStart(join(folder, `service-${++number}`)),
          baseline: () => partsStart(join(folder, `parts-${number}`)),
          target: null,
        },
        run,
      );
      const app = join(folder, 'app');
      await buildInto(app);
      const image = await hold(
        {
          ...COMMON,
          name: 'start of the image, with its database',
          product: () => imageStart(app, join(folder, 'image')),
          baseline: () => databaseStart(join(folder, 'database'), [...NODE_FLAGS, '--eval', '0']),
          target: { atMost: IMAGE_AT_MOST },
        },
        run,
      );
      return [again, first, image];
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

/** What the image has in `/app`, but with the repository's packages. */
async function buildInto(app: string): Promise<void> {
  const root = packageRoot();
  await mkdir(app);
  await buildDist(join(app, 'dist'));
  await copyFile(join(root, 'package.json'), join(app, 'package.json'));
  await symlink(join(root, 'node_modules'), join(app, 'node_modules'));
  const env = { ...cleanEnvironment(process.env), ...compiledIn(app) };
  await promisify(execFile)(process.execPath, [join(root, 'deploy/keep-compiled.mjs')], { cwd: app, env });
}

/** Node 22 and later start from compiled code that the image has; Node 20 ignores it. */
function compiledIn(app: string): { readonly NODE_COMPILE_CACHE: string } {
  return { NODE_COMPILE_CACHE: join(app, '.v8') };
}

/** Milliseconds until the service of the image serves on a database that starts before it. */
async function imageStart(app: string, dataDir: string): Promise<number> {
  const began = performance.now();
  const { uri, stop } = await database(dataDir);
  const image = { NODE_ENV, LOCAL_DEVNETS: 'off', PORT: '0', HOST: '127.0.0.1', PLATFORM_FEE_BPS: '0' };
  const env = { ...cleanEnvironment(process.env), ...image, ...compiledIn(app), MONGODB_URI: uri };
  const service = spawnService({ command: [...NODE_FLAGS, join(app, 'dist/src/main.js')], env });
  const url = await servedUrl(service, START_MS);
  const took = performance.now() - began;
  await service.stop(START_MS);
  await stop();
  if (url === null) throw new Error(`the image did not serve within ${START_MS} ms:\n${service.log()}`);
  return took;
}

/** Milliseconds until that database has started, and Node has run `command` after it. */
async function databaseStart(dataDir: string, command: readonly string[]): Promise<number> {
  const began = performance.now();
  const { stop } = await database(dataDir);
  await spawnService({ command, env: cleanEnvironment(process.env) }).exited;
  const took = performance.now() - began;
  await stop();
  return took;
}

async function database(dataDir: string): Promise<{ readonly uri: string; readonly stop: () => Promise<void> }> {
  const devnet = await parts(dataDir, { mongo: true, evm: false, solana: false });
  return { uri: devnet.mongo?.uri ?? '', stop: () => devnet.leave({ graceful: true }) };
}

/**
 * Milliseconds until the same database and chains answer without a service. Their processes are the ones of `npm
 * start`.
 */
async function partsStart(dataDir: string): Promise<number> {
  const began = performance.now();
  const devnet = await parts(dataDir, { mongo: true, evm: true, solana: true });
  const took = performance.now() - began;
  await devnet.leave({ graceful: true });
  return took;
}

function parts(dataDir: string, want: JoinOptions['want']): Promise<Devnet> {
  return joinDevnet({
    dataDir,
    version: packageVersion(),
    want,
    evmPort: 0,
    supervisor: commandOf(SUPERVISOR),
    log: () => undefined,
  });
}
