import { rmSync } from 'node:fs';
import { mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tsImport } from 'tsx/esm/api';

/**
 * Before the first test: compiles the sources for all test files together. What they start as processes of their own (services,
 * scripts, local chains) is then up in half the time that it takes from the sources. Beside it stand the pages that have been
 * built; tests that look at pages see to that (`browser.ts`).
 */
// biome-ignore lint/style/noDefaultExport: Jest asks for one.
export default async function compileOnce() {
  const { build, BUILD_FOLDER } = await tsImport('../../scripts/lib/build.ts', import.meta.url);
  const { pagesPlace } = await tsImport('../../src/pages/place.ts', import.meta.url);
  const folder = await mkdtemp(join(tmpdir(), 'tideline-build-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await build(folder);
  await symlink(pagesPlace().builds, join(folder, 'dist/web'));
  process.env[BUILD_FOLDER] = folder;
}
