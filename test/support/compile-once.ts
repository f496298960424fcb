import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILD_FOLDER, build } from '../../scripts/lib/build.ts';
import { pagesPlace } from '../../src/pages/place.ts';

/**
 * Before the first test: compiles the sources for all test files together. What they start as processes of their own (services,
 * scripts, local chains) is then up in half the time that it takes from the sources. Beside it stand the pages that have been
 * built; tests that look at pages see to that (`browser.ts`). The folder is gone after the last test.
 */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'tideline-build-'));
  await build(folder);
  await symlink(pagesPlace().builds, join(folder, 'dist/web'));
  process.env[BUILD_FOLDER] = folder;
  return () => rm(folder, { recursive: true, force: true });
}
