import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PublicFile } from '../http/send.ts';
import { type Log, timed } from '../observability/log.ts';
import { codeFile, packageRoot } from '../package/root.ts';
import { type BuiltPages, readBuiltPages } from './built-pages.ts';

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

/** The folders of the pages' builds and sources. */
interface PagesPaths {
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

/** The front ends for the browser. */
export interface Pages {
  /** The newest build; null: none exists, and none can be built here. The log has the reason. */
  current(): Promise<BuiltPages | null>;
  /** A file below `/assets/`, of this build or of an earlier one that this process served. */
  asset(name: string): Promise<PublicFile | null>;
}

export interface PagesDeps {
  readonly paths: PagesPaths;
  readonly log: Log;
}

/** How long a check of the sources is valid; a reload after an edit shows the change. */
const CHECK_AGAIN_MS = 1_000;

/** How long the service waits after a failed build. */
const FAILED_MS = 10_000;

/**
 * Reads or builds nothing before the first request for a page. If the sources are present, it builds them when their
 * hash has no build; else it serves the newest folder of `dist/web`.
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

/**
 * Builds the pages now if their sources have changed, so that the first request need not wait. Never throws: the log
 * has the reason.
 */
export async function preparePages({ paths, log }: PagesDeps): Promise<void> {
  if (!paths.hasSources) return;
  await freshBuild(paths, log).catch((error: unknown) => {
    log.error({ err: error }, 'the pages cannot be built; the next request for one tries again');
  });
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
  log.info({ id }, 'building the pages from their sources');
  await timed(log, 'the pages are built', buildPages(root));
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

/** Builds the pages from their sources in another process, because a bundler would block this one. */
export async function buildPages(root: string): Promise<void> {
  await promisify(execFile)(process.execPath, ['--import', 'tsx', 'scripts/build.ts', 'web'], { cwd: root });
}
