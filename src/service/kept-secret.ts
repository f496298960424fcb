import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A secret that this installation makes itself and keeps in its data folder, readable for its user alone. Two first starts
 * at once agree on one: the file is made by whoever is first.
 */
export async function keptSecret(dataDir: string, file: string, make: () => string): Promise<string> {
  const path = join(dataDir, file);
  await mkdir(dataDir, { recursive: true });
  const made = make();
  try {
    await writeFile(path, `${made}\n`, { flag: 'wx', mode: 0o600 });
    return made;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      return (await readFile(path, 'utf8')).trim();
    throw error;
  }
}
