import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundledCommand } from '../../scripts/lib/build.ts';
import { runOps, runScript } from './support/run-script.ts';

const REPOSITORY = new URL('../../', import.meta.url);
const BUNDLES = new URL('.cache/bundles/', REPOSITORY);

const IS_TERMINAL = 'data:text/javascript,process.stderr.isTTY = true;';

const bundled = (args: readonly string[]) => runOps('doctor', args, {}, bundledCommand);

async function newest(): Promise<string | undefined> {
  return (await readdir(BUNDLES)).filter(isFinished).sort().at(-1);
}

function isFinished(name: string): boolean {
  return !name.startsWith('.');
}

/** Changes the time of a file, as an edit would, without an edit. */
async function touch(path: string): Promise<void> {
  const file = fileURLToPath(new URL(path, REPOSITORY));
  const { atime, mtime } = await stat(file);
  await utimes(file, atime, new Date(mtime.getTime() + 1_000));
}

describe('scripts/run.mjs', () => {
  it('runs a program with its arguments, and hands on its output and exit code', async () => {
    expect(await bundled(['--help'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^npm run ops -- doctor/),
    });
    expect(await bundled(['--nonsense'])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--nonsense') });
  });

  it('says on a terminal that a service starts, before anything of it is loaded', async () => {
    const atTerminal = () => ['--import', IS_TERMINAL, ...bundledCommand('src/main')];
    const { exitCode, stderr } = await runScript('', [], { PORT: 'none' }, atTerminal);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^Starting …\n(?:Bundling .*\n)?The environment cannot be used:\n.*PORT/);
    const { stderr: elsewhere } = await runScript('', [], { PORT: 'none' }, () => bundledCommand('src/main'));
    expect(elsewhere).toMatch(/^The environment cannot be used/);
  });

  it('keeps the bundle until a source has changed', async () => {
    await bundled(['--help']);
    const first = await newest();
    await bundled(['--help']);
    expect(await newest()).toBe(first);
    await touch('src/package/root.ts');
    await bundled(['--help']);
    expect(await newest()).not.toBe(first);
    expect((await readdir(BUNDLES)).filter(isFinished).length).toBeLessThanOrEqual(5);
  });

  it('removes what interrupted builds have left, and nothing of a build that goes on', async () => {
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString().replaceAll(':', '-');
    const present = new Date().toISOString().replaceAll(':', '-');
    const [left, leftBuilder, other] = [`.${hourAgo}-1`, `.${hourAgo}-1.mjs`, `.${present}-1`];
    for (const name of [left, other]) await mkdir(new URL(name, BUNDLES), { recursive: true });
    for (const name of [`${left}/main.js`, leftBuilder]) await writeFile(new URL(name, BUNDLES), '');
    try {
      await touch('src/package/root.ts');
      expect(await bundled(['--help'])).toMatchObject({ exitCode: 0 });
      expect((await readdir(BUNDLES)).filter((name) => !isFinished(name))).toEqual([other]);
    } finally {
      for (const name of [left, leftBuilder, other]) {
        await rm(new URL(name, BUNDLES), { recursive: true, force: true });
      }
    }
  });
});
