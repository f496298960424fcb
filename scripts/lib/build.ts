import { rmSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { isBuilt, packageRoot } from '../../src/package/root.ts';

const ROOT = packageRoot();

/** Names a folder in which `build` has already compiled the sources, for example for all files of a test run. */
export const BUILD_FOLDER = 'TIDELINE_BUILD_FOLDER';

/** A file that runs as a process, relative to the repository's root and without extension: `src/main`. */
export type Program = `${'devnet' | 'scripts' | 'src'}/${string}`;

/** The process that runs the local chains and the embedded database, for `joinDevnet`. */
export const SUPERVISOR: Program = 'devnet/supervisor';

/** Node's arguments to run a program. */
export type Command = readonly string[];

/** The compiled program if compiled code runs this or `BUILD_FOLDER` has it; otherwise the source. */
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
 * The compiled program; this process compiles it at the first call if needed, and deletes it at its end. With many processes
 * this saves at least half of each start.
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

/**
 * Packages that must stay outside of the bundle, as in an installation: they are native, read their own files, or must exist
 * once per process.
 */
const OUTSIDE = ['@opentelemetry/api', '@solana/*', 'express', 'mongodb', 'pino'];

/** Bundled CommonJS uses `require` for Node's own modules. */
const REQUIRE = "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";

/**
 * Builds the programs into `dist` of an existing folder, at the paths of `npm run build`, with most of their modules in a few
 * files. Half of a start's processor time is spent on reading some 1,500 files one by one.
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
