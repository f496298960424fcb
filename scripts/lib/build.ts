import { copyFile, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { codeFile, isBuilt, packageRoot } from '../../src/package/root.ts';

const ROOT = packageRoot();

/** Names a folder in which `build` has already compiled the sources, for example for all files of a test run. */
export const BUILD_FOLDER = 'TIDELINE_BUILD_FOLDER';

/** A file that runs as a process, relative to the repository's root and without extension: `src/main`. */
export type Program = `${'devnet' | 'scripts' | 'src'}/${string}`;

/** The process that runs the local chains and the embedded database, for `joinDevnet`. */
export const SUPERVISOR: Program = 'devnet/supervisor';

/** Node's arguments to run a program. */
export type Command = readonly string[];

/** The compiled program if compiled code runs this or `BUILD_FOLDER` has it; otherwise as `npm start` and `npm run` start it. */
export function commandOf(program: Program): Command {
  if (isBuilt) return [codeFile(program)];
  const folder = process.env[BUILD_FOLDER];
  return folder === undefined ? bundledCommand(program) : [join(folder, 'dist', `${program}.js`)];
}

/** The program as `npm start` and `npm run` start it: from the newest bundle of the sources. */
export function bundledCommand(program: Program): Command {
  return [join(ROOT, 'scripts/run.mjs'), program];
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
  await copyFile(join(ROOT, 'package.json'), join(folder, 'package.json'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await bundleInto(join(folder, 'dist'));
}

/** Services that run from an earlier bundle may still read from it. */
const BUNDLES_KEPT = 5;

/**
 * Builds the programs into a new folder of `bundles`, and resolves with its path. `sources.json` in it lists the sources with their
 * sizes and times, so that `scripts/run.mjs` knows when to build again. Names sort by age.
 */
export async function buildBundle(bundles: string): Promise<string> {
  const name = `${new Date().toISOString().replaceAll(':', '-')}-${process.pid}`;
  const unfinished = join(bundles, `.${name}`);
  await mkdir(unfinished, { recursive: true });
  const began = Date.now();
  const inputs = await bundleInto(unfinished);
  const own = inputs.filter((path) => !path.startsWith('node_modules/'));
  const sources = await Promise.all([...own, 'package.json', 'package-lock.json'].map(sourceBefore(began)));
  await writeFile(join(unfinished, 'sources.json'), JSON.stringify(sources));
  await rename(unfinished, join(bundles, name));
  const names = (await readdir(bundles)).filter((other) => !other.startsWith('.')).sort();
  await Promise.all(
    names.slice(0, -BUNDLES_KEPT).map((old) => rm(join(bundles, old), { recursive: true, force: true })),
  );
  return join(bundles, name);
}

/** A source that was written during the build may be in the bundle in its old form; with a time of 0 it counts as changed. */
function sourceBefore(began: number): (path: string) => Promise<{ path: string; size: number; mtimeMs: number }> {
  return async (path) => {
    const { size, mtimeMs } = await stat(join(ROOT, path));
    return { path, size, mtimeMs: mtimeMs < began ? mtimeMs : 0 };
  };
}

/** Resolves with the paths of all files that went in, from the root of the repository. */
async function bundleInto(outdir: string): Promise<string[]> {
  const { build: bundle } = await import('esbuild');
  const manifest = manifestSchema.parse(JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')));
  const { metafile } = await bundle({
    absWorkingDir: ROOT,
    entryPoints: ['src/main.ts', 'devnet/*-child.ts', 'devnet/service.ts', 'devnet/supervisor.ts', 'scripts/*.ts'],
    outbase: '.',
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: [...OUTSIDE, ...Object.keys({ ...manifest.devDependencies, ...manifest.optionalDependencies })],
    banner: { js: REQUIRE },
    logLevel: 'error',
    metafile: true,
  });
  return Object.keys(metafile.inputs);
}

const packages = z.record(z.string(), z.string());
const manifestSchema = z.object({ devDependencies: packages, optionalDependencies: packages });
