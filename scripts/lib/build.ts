import { copyFile, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildOptions } from 'esbuild';
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

/** The compiled program if compiled code runs this or `BUILD_FOLDER` has it; else as `npm start` starts it. */
export function commandOf(program: Program): Command {
  if (isBuilt) return [codeFile(program)];
  const folder = process.env[BUILD_FOLDER];
  return folder === undefined ? bundledCommand(program) : [join(folder, 'dist', `${program}.js`)];
}

/** The program as `npm start` and `npm run` start it: from the newest bundle of the sources. */
export function bundledCommand(program: Program): Command {
  return [join(ROOT, 'scripts/run.mjs'), program];
}

/** Packages outside of the bundle: they are native, read their own files, or must exist once per process. */
const OUTSIDE = ['@opentelemetry/api', '@solana/*', 'express', 'mongodb', 'pino'];

/** Bundled CommonJS uses `require` for Node's own modules. */
const REQUIRE = "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";

/**
 * Builds the programs into `dist` of an existing folder, at the paths of `npm run build`, with most of their modules in
 * a few files. Half of a start's processor time is spent on reading some 1,500 files one by one.
 */
export async function build(folder: string): Promise<void> {
  await copyFile(join(ROOT, 'package.json'), join(folder, 'package.json'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await bundleInto(join(folder, 'dist'), PROGRAMS);
}

/** What the image runs: the service and the commands of `tsconfig.build.json`. Maps are for `sourceStack`. */
export async function buildDist(dist: string): Promise<void> {
  const old = (await readdir(dist).catch(() => [])).filter((name) => name !== 'web');
  await Promise.all(old.map((name) => rm(join(dist, name), { recursive: true, force: true })));
  const included = Object.values(await fieldOf('tsconfig.build.json', 'include')).map(String);
  const commands = included.filter((name) => name.endsWith('.ts'));
  const options = { minifySyntax: true, minifyWhitespace: true, sourcemap: 'external', sourcesContent: false } as const;
  await bundleInto(dist, ['src/main.ts', ...commands], options);
}

/** Services that run from an earlier bundle may still read from it. */
const BUNDLES_KEPT = 5;

/** A build takes seconds. One that began earlier than this has been interrupted. */
const BUILD_MS_MAX = 600_000;

/**
 * Builds the programs into a new folder of `bundles`, and resolves with its path. `sources.json` in it lists the
 * sources with their sizes and times, so that `scripts/run.mjs` knows when to build again.
 */
export async function buildBundle(bundles: string): Promise<string> {
  const name = `${nameAt(Date.now())}-${process.pid}`;
  const unfinished = join(bundles, `.${name}`);
  await mkdir(unfinished, { recursive: true });
  const began = Date.now();
  const inputs = await bundleInto(unfinished, PROGRAMS);
  const own = inputs.filter((path) => !path.startsWith('node_modules/'));
  const sources = await Promise.all(
    [...own, 'tsconfig.json', 'package.json', 'package-lock.json'].map(sourceBefore(began)),
  );
  await writeFile(join(unfinished, 'sources.json'), JSON.stringify(sources));
  await rename(unfinished, join(bundles, name));
  await prune(bundles);
  return join(bundles, name);
}

/** Removes the old bundles, and what interrupted builds have left: names with a dot before their time. */
async function prune(bundles: string): Promise<void> {
  const names = (await readdir(bundles)).sort();
  const old = names.filter((name) => !name.startsWith('.')).slice(0, -BUNDLES_KEPT);
  const oldest = `.${nameAt(Date.now() - BUILD_MS_MAX)}`;
  const interrupted = names.filter((name) => name.startsWith('.') && name < oldest);
  const options = { recursive: true, force: true, maxRetries: 3 };
  await Promise.all([...old, ...interrupted].map((name) => rm(join(bundles, name), options)));
}

/** Names sort by time. */
function nameAt(ms: number): string {
  return new Date(ms).toISOString().replaceAll(':', '-');
}

/** A source written during the build may be in the bundle in its old form; a time of 0 counts as changed. */
function sourceBefore(began: number): (path: string) => Promise<{ path: string; size: number; mtimeMs: number }> {
  return async (path) => {
    const { size, mtimeMs } = await stat(join(ROOT, path));
    return { path, size, mtimeMs: mtimeMs < began ? mtimeMs : 0 };
  };
}

/** What the repository runs: all that `npm start` and `npm run` start as processes of their own. */
const PROGRAMS = ['src/main.ts', 'devnet/*-child.ts', 'devnet/service.ts', 'devnet/supervisor.ts', 'scripts/*.ts'];

/** Resolves with the paths of all files that went in, from the root of the repository. */
async function bundleInto(outdir: string, entryPoints: string[], options: BuildOptions = {}): Promise<string[]> {
  const { build: bundle } = await import('esbuild');
  const fields = ['devDependencies', 'optionalDependencies'].map((field) => fieldOf('package.json', field));
  const notInstalled = (await Promise.all(fields)).flatMap(Object.keys);
  const { metafile } = await bundle({
    absWorkingDir: ROOT,
    entryPoints,
    outbase: '.',
    outdir,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: [...OUTSIDE, ...notInstalled],
    banner: { js: REQUIRE },
    logLevel: 'error',
    ...options,
    metafile: true,
  });
  return Object.keys(metafile.inputs);
}

/** Read without zod: to load it takes longer than the rest of this module. */
async function fieldOf(file: string, field: string): Promise<object> {
  const content: unknown = JSON.parse(await readFile(join(ROOT, file), 'utf8'));
  const entries = typeof content === 'object' && content !== null ? Object.entries(content) : [];
  const found: unknown = entries.find(([name]) => name === field)?.[1];
  if (typeof found !== 'object' || found === null) throw new Error(`${file} has no ${field}`);
  return found;
}
