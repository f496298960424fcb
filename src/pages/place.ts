import { fileURLToPath } from 'node:url';

/** Where the pages are built to, and where they can be built from. */
export interface PagesPlace {
  /** Of the repository, or of an installation. */
  readonly root: string;
  /** Each build is a folder of its own in here, named after the hash of its sources. */
  readonly builds: string;
  /** Whether the sources are here to build from; beside compiled code they are not looked at. */
  readonly hasSources: boolean;
}

/** One folder up from the sources of the service is the repository, two from what is built of them. */
export function pagesPlace(): PagesPlace {
  const isBuilt = import.meta.url.endsWith('.js');
  const root = fileURLToPath(new URL(isBuilt ? '../../../' : '../../', import.meta.url));
  return { root, builds: `${root}dist/web`, hasSources: !isBuilt };
}
