import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../package/root.ts';

/** The folders of the pages' builds and sources. */
export interface PagesPaths {
  /** The root of the repository or of an installation. */
  readonly root: string;
  /** Each build is a folder in here, named after the hash of its sources. */
  readonly builds: string;
  /** True if the sources are here to build from, as in the repository. */
  readonly hasSources: boolean;
}

export function pagesPaths(): PagesPaths {
  const root = packageRoot();
  return { root, builds: join(root, 'dist/web'), hasSources: existsSync(join(root, 'web')) };
}
