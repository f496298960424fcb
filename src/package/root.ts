import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Whether this is JavaScript that was made of the sources, and not the sources themselves. */
export const isBuilt = import.meta.url.endsWith('.js');

/**
 * The folder of the package: of the repository, of an installation, or of what has been built of it. The nearest one above this
 * code that has a `package.json`, for modules that are built into one file stand elsewhere than their sources.
 */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder) throw new Error(`There is no package.json above ${fileURLToPath(import.meta.url)}`);
    folder = above;
  }
  return folder;
}
