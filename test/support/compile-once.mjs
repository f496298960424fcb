import { rmSync } from 'node:fs';
import { mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tsImport } from 'tsx/esm/api';

/**
 * Before the first test: compiles the sources, and builds the pages, for all test files together. What they start as processes
 * of their own (services, scripts, local chains) is then up in half the time that it takes from the sources.
 */
// biome-ignore lint/style/noDefaultExport: Jest asks for one.
export default async function compileOnce() {
  const { build, BUILD_FOLDER } = await tsImport('../../scripts/lib/build.ts', import.meta.url);
  const { buildWeb } = await tsImport('../../scripts/web/build.ts', import.meta.url);
  const { pagesPlace } = await tsImport('../../src/pages/place.ts', import.meta.url);
  const folder = await mkdtemp(join(tmpdir(), 'tideline-build-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const { root, builds } = pagesPlace();
  await Promise.all([build(folder), buildWeb(root, builds)]);
  await symlink(builds, join(folder, 'dist/web'));
  process.env[BUILD_FOLDER] = folder;
}
