import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A secret that this installation makes itself and keeps in its data folder, readable only by its user. Two first
 * starts at once agree on one: the file gets its name when it is complete, and the first to name it wins.
 */
export async function keptSecret(dataDir: string, file: string, make: () => string): Promise<string> {
  const path = join(dataDir, file);
  await mkdir(dataDir, { recursive: true });
  const known = await textOf(path);
  if (known !== null) return known;
  const made = join(dataDir, `${file}.${randomUUID()}`);
  await writeFile(made, `${make()}\n`, { flag: 'wx', mode: 0o600 });
  try {
    await link(made, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(made, { force: true });
  }
  return (await readFile(path, 'utf8')).trim();
}

async function textOf(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
