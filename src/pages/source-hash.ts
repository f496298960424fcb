import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The documents that are pages at `/docs/guides/`, and their pictures. */
export const SERVED_DOCUMENTS = [
  'docs/guides',
  'docs/pictures',
  'docs/reference/cli.md',
  'docs/reference/client.md',
] as const;

/** All sources of the pages, below the root; `web/` must not import any other source. */
const WEB_SOURCES = ['web', 'machines', 'scripts/build/web', 'package-lock.json', ...SERVED_DOCUMENTS] as const;

/** A hash of the names and contents of all sources of the pages: 24 hex digits. Any change of a source changes it. */
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
