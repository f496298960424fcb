import { execFile } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { packageRoot } from '../../src/package/root.ts';

const run = promisify(execFile);

export const BUILD_MS = 180_000;

/**
 * The output of `npm run build` in `dist` of `folder`, with the package's `package.json`. Types are not checked, and the pages are not
 * built.
 */
export async function npmBuild(folder: string): Promise<void> {
  const root = packageRoot();
  const { scripts } = z
    .object({ scripts: z.object({ build: z.string() }) })
    .parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
  const [, bundler = ''] = scripts.build.split(' && ');
  const [loader, ...args] = bundler.split(' ');
  expect(loader).toBe('tsx');
  await run(process.execPath, ['--import', 'tsx', ...args, '--out', join(folder, 'dist')], { cwd: root });
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
}
