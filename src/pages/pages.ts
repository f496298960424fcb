import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PublicFile } from '../http/send.ts';
import type { Log } from '../observability/log.ts';
import { buildPages } from './build.ts';
import { type BuiltPages, readBuiltPages } from './built-pages.ts';
import type { PagesPaths } from './paths.ts';
import { sourceHash } from './source-hash.ts';

/** The front ends, as they are served. */
export interface Pages {
  /** The newest build; null: there is none, and none can be made here. The log says why. */
  current(): Promise<BuiltPages | null>;
  /** A file below `/assets/`, of this build or of one that this process has served before. */
  asset(name: string): Promise<PublicFile | null>;
}

export interface PagesDeps {
  readonly paths: PagesPaths;
  readonly log: Log;
}

/** So long a check of the sources holds: whoever edits them sees it at the next reload. */
const CHECK_AGAIN_MS = 1_000;

/** So long nothing is tried again after a build has failed. */
const FAILED_MS = 10_000;

/**
 * Nothing is read or built before the first page is asked for. Where the sources are, they are built when what is built is
 * missing or of other sources, by their hash; else the newest folder of `dist/web` is served.
 */
export function createPages(deps: PagesDeps): Pages {
  const assets = new Map<string, PublicFile>();
  let served: ServedBuild | null = null;
  let checking: Promise<BuiltPages | null> = Promise.resolve(null);
  let checkAgainAt = 0;

  const check = async (): Promise<BuiltPages | null> => {
    try {
      served = await newest(deps, served);
      for (const [name, file] of served.build.assets) assets.set(name, file);
      checkAgainAt = deps.paths.hasSources ? Date.now() + CHECK_AGAIN_MS : Number.POSITIVE_INFINITY;
      return served.build;
    } catch (error) {
      deps.log.error({ err: error, builds: deps.paths.builds }, 'the pages are not built: run `npm run build`');
      checkAgainAt = Date.now() + FAILED_MS;
      return null;
    }
  };
  const current = (): Promise<BuiltPages | null> => {
    if (Date.now() < checkAgainAt) return checking;
    checkAgainAt = Number.POSITIVE_INFINITY;
    checking = check();
    return checking;
  };
  return {
    current,
    asset: async (name) => {
      if (!assets.has(name)) await current();
      return assets.get(name) ?? null;
    },
  };
}

interface ServedBuild {
  readonly id: string;
  readonly build: BuiltPages;
}

async function newest({ paths, log }: PagesDeps, served: ServedBuild | null): Promise<ServedBuild> {
  const id = paths.hasSources ? await freshBuild(paths, log) : await newestBuild(paths);
  if (served?.id === id) return served;
  return { id, build: await readBuiltPages(join(paths.builds, id)) };
}

async function freshBuild({ root, builds }: PagesPaths, log: Log): Promise<string> {
  const id = await sourceHash(root);
  if (await exists(join(builds, id))) return id;
  const began = Date.now();
  await buildPages(root);
  log.info({ id, ms: Date.now() - began }, 'the pages have been built');
  return id;
}

async function newestBuild({ builds }: PagesPaths): Promise<string> {
  const folders = await readdir(builds).catch(() => []);
  const dated = await Promise.all(
    folders
      .filter((name) => !name.startsWith('.'))
      .map(async (name) => ({ name, at: (await stat(join(builds, name))).mtimeMs })),
  );
  const [newest] = dated.sort((a, b) => b.at - a.at);
  if (newest === undefined) throw new Error(`${builds} has no build of the pages`);
  return newest.name;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
