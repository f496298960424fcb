import { join } from 'node:path';
import { codeFile, packageRoot } from '../package/root.ts';

/** The folders of the pages' builds and sources. */
export interface PagesPaths {
  /** The root of the repository or of an installation. */
  readonly root: string;
  /** Each build is a folder in here, named after the hash of its sources. */
  readonly builds: string;
  /**
   * True if the sources are here to build from. Beside the code in `dist` are built pages, and no sources are checked.
   */
  readonly hasSources: boolean;
}

export function pagesPaths(): PagesPaths {
  const root = packageRoot();
  const hasSources = !codeFile('src/main').startsWith(join(root, 'dist/'));
  return { root, builds: join(root, 'dist/web'), hasSources };
}
