import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { COMPRESSED } from '../../src/pages/built-pages.ts';
import { pagesPaths, SERVED_DOCUMENTS, sourceHash } from '../../src/pages/pages.ts';
import { scriptWith } from '../lib/script.ts';
import { bundle } from './web/bundle.ts';

const usage = `
npm run build -- web
  Build the pages of web/ into dist/web, unless the current sources are built already.

Exit codes: 0 done, 1 not done, 2 the arguments are wrong.
`;

export const web = scriptWith({
  usage,
  options: {},
  run: async () => {
    const { root, builds } = pagesPaths();
    const built = await buildWeb(root, builds);
    if (process.stdout.isTTY) process.stdout.write(`${built.isNew ? 'built' : 'up to date'}: dist/web/${built.id}\n`);
    return 0;
  },
});

/** How long builds of other sources are kept, because a running process may still read them. */
const KEPT_MS = 3_600_000;

/** The age at which an unfinished build is deleted. */
const ABANDONED_MS = 600_000;

/** Builds into a folder named by the sources' hash, complete or not at all; parallel builds give the same. */
async function buildWeb(root: string, builds: string): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const id = await sourceHash(root);
  const target = join(builds, id);
  const now = new Date();
  const isThere = await utimes(target, now, now).then(
    () => true,
    () => false,
  );
  if (isThere) return { id, isNew: false };
  await mkdir(builds, { recursive: true });
  const draft = await mkdtemp(join(builds, '.draft-'));
  try {
    await bundle(join(root, 'web'), draft);
    await compress(draft);
    for (const path of SERVED_DOCUMENTS) await cp(join(root, path), join(draft, path), { recursive: true });
    await cp(join(root, 'web/messages'), join(draft, 'messages'), { recursive: true });
    await chmod(draft, 0o755);
    await rename(draft, target).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  await removeOld(builds, id);
  return { id, isNew: true };
}

/** Here and not at a request, because the best brotli of all files takes two seconds. */
async function compress(folder: string): Promise<void> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => COMPRESSED.test(name));
  const files = names.map(async (name) => {
    const bytes = await readFile(join(folder, name));
    await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(bytes));
    await writeFile(join(folder, `${name}.gz`), await promisify(gzip)(bytes, { level: 9 }));
  });
  await Promise.all(files);
}

async function removeOld(builds: string, id: string): Promise<void> {
  for (const name of await readdir(builds)) {
    if (name === id) continue;
    const path = join(builds, name);
    const found = await stat(path).catch(() => null);
    const age = found === null ? 0 : Date.now() - found.mtimeMs;
    if (age > (name.startsWith('.') ? ABANDONED_MS : KEPT_MS)) await rm(path, { recursive: true, force: true });
  }
}
