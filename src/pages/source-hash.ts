import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Everything that a page can be made of, below the root: other sources must not be imported by `web/`. */
const WEB_SOURCES = ['web', 'machines', 'scripts/web', 'package-lock.json'] as const;

/** A hash of names and contents of all sources of the pages, as hex of 24 digits: another one, other pages. */
export async function sourceHash(root: string): Promise<string> {
  const files = (await Promise.all(WEB_SOURCES.map((source) => filesOf(root, source)))).flat().sort();
  const contents = await Promise.all(files.map((file) => readFile(join(root, file))));
  const hash = createHash('sha256');
  for (const [index, file] of files.entries())
    hash.update(`${file}\0${contents[index]?.length}\0`).update(contents[index] ?? '');
  return hash.digest('hex').slice(0, 24);
}

async function filesOf(root: string, source: string): Promise<string[]> {
  const path = join(root, source);
  if ((await stat(path)).isFile()) return [source];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
}
