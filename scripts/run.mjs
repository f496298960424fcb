/**
 * Runs a program of this repository (`src/main`, `scripts/ops`) with the arguments after its name, from a bundle of the
 * sources in `.cache/bundles`. It builds the bundle first if a source has changed. This is JavaScript, because loading
 * a TypeScript loader takes longer than the rest.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BUNDLES = join(ROOT, '.cache/bundles');

/** Programs whose modules alone take longer to load than somebody at a terminal waits without a sign. */
const LONG = ['src/main', 'scripts/demo'];

/** The newest bundle, if it has the program and none of its sources has changed; otherwise null. */
async function freshBundle(program) {
  const [newest] = (await readdir(BUNDLES).catch(() => []))
    .filter((name) => !name.startsWith('.'))
    .sort()
    .reverse();
  if (newest === undefined || !existsSync(join(BUNDLES, newest, `${program}.js`))) return null;
  const sources = JSON.parse(await readFile(join(BUNDLES, newest, 'sources.json'), 'utf8'));
  const changes = await Promise.all(sources.map(hasChanged));
  return changes.includes(true) ? null : join(BUNDLES, newest);
}

async function hasChanged({ path, size, mtimeMs }) {
  const now = await stat(join(ROOT, path)).catch(() => null);
  return now === null || now.size !== size || now.mtimeMs !== mtimeMs;
}

async function newBundle() {
  if (process.stderr.isTTY) process.stderr.write('Bundling the sources, once after each change …\n');
  const { build, stop } = await import('esbuild');
  // Named like an unfinished bundle, so that a later build removes what an interrupted one has left.
  const time = new Date().toISOString().replaceAll(':', '-');
  const builder = join(BUNDLES, `.${time}-${process.pid}.mjs`);
  try {
    const entryPoints = [join(ROOT, 'scripts/lib/build.ts')];
    await build({ entryPoints, outfile: builder, bundle: true, packages: 'external', platform: 'node', format: 'esm' });
    const { buildBundle } = await import(pathToFileURL(builder).href);
    return await buildBundle(BUNDLES);
  } finally {
    await Promise.all([stop(), rm(builder, { force: true })]);
  }
}

const program = process.argv[2];
if (process.stderr.isTTY && LONG.includes(program)) process.stderr.write('Starting …\n');
const bundle = (await freshBundle(program)) ?? (await newBundle());
// Node 22 and later keep compiled code between starts, in this process and in those that it starts. It goes with its
// bundle.
process.env.NODE_COMPILE_CACHE ??= join(bundle, '.v8');
module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE);

const file = join(bundle, `${program}.js`);
process.argv.splice(1, 2, file);
await import(pathToFileURL(file).href);
