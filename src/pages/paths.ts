import { join } from 'node:path';
import { isBuilt, packageRoot } from '../package/root.ts';

/** Where the pages are built to, and where they can be built from. */
export interface PagesPaths {
  /** Of the repository, or of an installation. */
  readonly root: string;
  /** Each build is a folder of its own in here, named after the hash of its sources. */
  readonly builds: string;
  /** Whether the sources are here to build from; beside compiled code they are not checked. */
  readonly hasSources: boolean;
}

export function pagesPaths(): PagesPaths {
  const root = packageRoot();
  return { root, builds: join(root, 'dist/web'), hasSources: !isBuilt };
}
