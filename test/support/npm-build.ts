import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/package/root.ts';

const run = promisify(execFile);

export const BUILD_MS = 180_000;

/**
 * The output of `npm run build` in `dist` of `folder`, with the package's `package.json`. Types are not checked, and
 * the pages are not built.
 */
export async function npmBuild(folder: string): Promise<void> {
  const root = packageRoot();
  const args = ['--import', 'tsx', 'scripts/build.ts', 'dist', '--out', join(folder, 'dist')];
  await run(process.execPath, args, { cwd: root });
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
}
