import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Devnet, type JoinOptions, joinDevnet } from '../../devnet/join.ts';
import { buildDist, bundledCommand, type Command, commandOf, SUPERVISOR } from '../../scripts/lib/build.ts';
import { packageRoot, packageVersion } from '../../src/package/root.ts';
import type { Environment } from '../../stage/processes.ts';
import { removeFolder } from '../../stage/remove-folder.ts';
import { cleanEnvironment, servedUrl, spawnService } from '../../stage/service-process.ts';
import { NODE_ENV, NODE_FLAGS } from '../lib/child.ts';
import type { BenchRun } from './bench.ts';
import { hold } from './contest.ts';
import type { Row } from './row.ts';

const START_MS = 60_000;
const AT_MOST = 3;
const IMAGE_AT_MOST = 1.5;

/**
 * `npm start` until it serves, against the embedded database and the local chains alone.
 *
 * The row of the image starts the service as the container image does (Dockerfile): from the bundle of `npm run build`,
 * with the image's flags and environment, on a database that has its indexes. The image brings no database, so both
 * sides start the embedded one; after it the baseline starts Node with the same flags and an empty program.
 */
export async function start(run: BenchRun): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tideline-bench-start-'));
  const within = (name: string) => join(folder, name);
  try {
    const again = await hold(run, {
      name: 'start on a data folder that exists',
      unit: 'ms',
      product: () => serviceStart(within('service')),
      baseline: () => partsStart(within('parts')),
      target: { atMost: AT_MOST },
    });
    await buildInto(within('app'));
    const image = await hold(run, {
      name: 'start of the image, with its database',
      unit: 'ms',
      product: () => imageStart(within('app'), within('image')),
      baseline: () => databaseStart(within('database'), [...NODE_FLAGS, '--eval', '0']),
      target: { atMost: IMAGE_AT_MOST },
    });
    return [again, image];
  } finally {
    await removeFolder(folder);
  }
}

/** Milliseconds from the command to `serving`; then the service and all of its parts end. */
async function serviceStart(dataDir: string): Promise<number> {
  const began = performance.now();
  const anyPort = { PORT: '0', LOCAL_EVM_PORT: '0', LOCAL_SOLANA_PORT: '0' };
  const env = { DATA_DIR: dataDir, HOST: '127.0.0.1', NO_COLOR: '1', ...anyPort };
  return servedSince(began, bundledCommand('src/main'), env);
}

/** Milliseconds since `began` until the service serves; then it ends. */
async function servedSince(began: number, command: Command, own: Environment): Promise<number> {
  const service = spawnService({ command, env: { ...cleanEnvironment(process.env), ...own } });
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
function imageStart(app: string, dataDir: string): Promise<number> {
  return withDatabase(dataDir, (began, uri) => {
    const image = { NODE_ENV, LOCAL_DEVNETS: 'off', PORT: '0', HOST: '127.0.0.1', PLATFORM_FEE_BPS: '0' };
    const command = [...NODE_FLAGS, join(app, 'dist/src/main.js')];
    return servedSince(began, command, { ...image, ...compiledIn(app), MONGODB_URI: uri });
  });
}

/** Milliseconds until that database has started, and Node has run `command` after it. */
function databaseStart(dataDir: string, command: Command): Promise<number> {
  return withDatabase(dataDir, async (began) => {
    await spawnService({ command, env: cleanEnvironment(process.env) }).exited;
    return performance.now() - began;
  });
}

/** `took` gets the moment before the database started, and its address. The database ends after it. */
async function withDatabase(dataDir: string, took: (began: number, uri: string) => Promise<number>): Promise<number> {
  const began = performance.now();
  const devnet = await parts(dataDir, { mongo: true, evm: false, solana: false });
  const ms = await took(began, devnet.mongo?.uri ?? '');
  await devnet.leave({ graceful: true });
  return ms;
}

/** Milliseconds until the same database and chains answer without a service, as processes of `npm start`. */
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
