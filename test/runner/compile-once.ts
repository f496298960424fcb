import { mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILD_FOLDER, build } from '../../scripts/lib/build.ts';
import { pagesPaths } from '../../src/pages/pages.ts';

/**
 * Before the first test: compiles the sources once for all test files, so that processes (services, scripts, local
 * chains) start in half the time. The built pages are beside the compiled sources; tests of pages build them
 * (`browser.ts`). `delete-compiled.ts` deletes the folder after the last test.
 */
async function compileOnce(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tideline-build-'));
  process.env[BUILD_FOLDER] = folder;
  await build(folder);
  await symlink(pagesPaths().builds, join(folder, 'dist/web'));
}

// biome-ignore lint/style/noDefaultExport: Jest asks for one.
export default compileOnce;
