import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** True if this code is compiled JavaScript and not the TypeScript source. */
export const isBuilt = import.meta.url.endsWith('.js');

/**
 * The folder of the package: of the repository, of an installation, or of a build. It is the nearest folder above this
 * code with a `package.json`, because bundled modules are in another folder than their sources.
 */
export function packageRoot(): string {
  return nearestFolderWith('package.json');
}

const EXTENSION = isBuilt ? 'js' : 'ts';

/**
 * The path of a module of this code, such as `devnet/service`: of its source, or beside this code if it is compiled.
 */
export function codeFile(module: string): string {
  return join(nearestFolderWith(`src/main.${EXTENSION}`), `${module}.${EXTENSION}`);
}

/** The nearest folder above this code that has the file. */
function nearestFolderWith(file: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, file))) {
    const above = dirname(folder);
    if (above === folder) throw new Error(`There is no ${file} above ${fileURLToPath(import.meta.url)}`);
    folder = above;
  }
  return folder;
}

export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
}
