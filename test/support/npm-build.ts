import { execFile } from 'node:child_process';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { packageRoot } from '../../src/package/root.ts';

const run = promisify(execFile);

export const BUILD_MS = 180_000;

/** The output of `npm run build` in `dist` of `folder`, with the package's `package.json`. The pages are not built. */
export async function npmBuild(folder: string): Promise<void> {
  const root = packageRoot();
  const { scripts } = z
    .object({ scripts: z.object({ build: z.string() }) })
    .parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
  const [compiler = ''] = scripts.build.split(' && ');
  const [node, ...args] = compiler.split(' ');
  expect(node).toBe('node');
  await run(process.execPath, [...args, '--outDir', join(folder, 'dist')], { cwd: root });
  await mkdir(folder, { recursive: true });
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
}
