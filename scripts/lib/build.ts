import { rmSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { isBuilt, packageRoot } from '../../src/package/root.ts';

const ROOT = packageRoot();

/** Names a folder in which `build` has compiled the sources already, as a test run does for all its files. */
export const BUILD_FOLDER = 'TIDELINE_BUILD_FOLDER';

/** A file that is a process of its own, from the root of the repository and without its extension: `src/main`. */
export type Program = `${'devnet' | 'scripts' | 'src'}/${string}`;

/** What keeps the local chains and the embedded database: for `joinDevnet`. */
export const SUPERVISOR: Program = 'devnet/supervisor';

/** What Node is started with to run a program. */
export type Command = readonly string[];

/** As it is at hand: beside compiled code and in `BUILD_FOLDER` compiled, else the source. */
export function commandOf(program: Program): Command {
  if (isBuilt) return [compiledIn(ROOT, program)];
  const folder = process.env[BUILD_FOLDER];
  return folder === undefined ? sourceCommand(program) : [compiledIn(folder, program)];
}

/** The source through tsx, as `npm start` and `npm run` start it. */
export function sourceCommand(program: Program): Command {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  return ['--import', tsx, join(ROOT, `${program}.ts`)];
}

/**
 * Compiled, at the first call by this process unless it is at hand: where many processes are started, that saves each of them
 * half of its start or more. Gone with this process.
 */
export async function builtCommand(program: Program): Promise<Command> {
  if (isBuilt || process.env[BUILD_FOLDER] !== undefined) return commandOf(program);
  ownBuild ??= buildForThisProcess();
  return [compiledIn(await ownBuild, program)];
}

let ownBuild: Promise<string> | null = null;

async function buildForThisProcess(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tideline-build-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await build(folder);
  return folder;
}

/** Must be found beside what is built, as it is in an installation: native, with files of their own, or one for the whole process. */
const OUTSIDE = ['@opentelemetry/api', '@solana/*', 'express', 'mongodb', 'pino', 'swagger-ui-dist'];

/** CommonJS that is built into a module asks for Node's own modules with it. */
const REQUIRE = "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";

/**
 * Builds the programs into `dist` of a folder that is there, each at the place that `npm run build` gives it, and most of what they load into a
 * few files: of the processor time of a start, half is Node reading some 1,500 files one by one.
 */
export async function build(folder: string): Promise<void> {
  const { build: bundle } = await import('esbuild');
  await copyFile(join(ROOT, 'package.json'), join(folder, 'package.json'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const manifest = manifestSchema.parse(JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')));
  await bundle({
    absWorkingDir: ROOT,
    entryPoints: ['src/main.ts', 'devnet/*-child.ts', 'devnet/service.ts', 'devnet/supervisor.ts', 'scripts/*.ts'],
    outbase: '.',
    outdir: join(folder, 'dist'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: [...OUTSIDE, ...Object.keys({ ...manifest.devDependencies, ...manifest.optionalDependencies })],
    banner: { js: REQUIRE },
    logLevel: 'error',
  });
}

const packages = z.record(z.string(), z.string());
const manifestSchema = z.object({ devDependencies: packages, optionalDependencies: packages });

function compiledIn(folder: string, program: Program): string {
  return join(folder, 'dist', `${program}.js`);
}
