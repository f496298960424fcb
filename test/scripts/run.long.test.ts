import { readdir, stat, utimes } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundledCommand } from '../../scripts/lib/build.ts';
import { runScript } from './support/run-script.ts';

const REPOSITORY = new URL('../../', import.meta.url);
const BUNDLES = new URL('.cache/bundles/', REPOSITORY);

const bundled = (args: readonly string[]) => runScript('doctor', args, {}, bundledCommand);

/** The name of the newest bundle. */
async function newest(): Promise<string | undefined> {
  return (await readdir(BUNDLES)).sort().at(-1);
}

/** Changes the time of a file, as an edit would, without an edit. */
async function touch(path: string): Promise<void> {
  const file = fileURLToPath(new URL(path, REPOSITORY));
  const { atime, mtime } = await stat(file);
  await utimes(file, atime, new Date(mtime.getTime() + 1_000));
}

describe('scripts/run.mjs', () => {
  it('runs a program with its arguments, and hands on its output and exit code', async () => {
    expect(await bundled(['--help'])).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^npm run doctor/) });
    expect(await bundled(['--nonsense'])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--nonsense') });
  });

  it('keeps the bundle until a source has changed', async () => {
    await bundled(['--help']);
    const first = await newest();
    await bundled(['--help']);
    expect(await newest()).toBe(first);
    await touch('src/package/version.ts');
    await bundled(['--help']);
    expect(await newest()).not.toBe(first);
    expect((await readdir(BUNDLES)).length).toBeLessThanOrEqual(5);
  });
});
