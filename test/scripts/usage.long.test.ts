import { runOps, runScript, type ScriptEnd } from './support/run-script.ts';

type Run = (args: readonly string[]) => Promise<ScriptEnd>;

/** The commands of an npm script, as it lists them. */
async function commandsOf(run: Run): Promise<string[]> {
  const { exitCode, stdout } = await run([]);
  expect(exitCode).toBe(0);
  const names = [...stdout.matchAll(/^ {4}([a-z]+) +\S/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(5);
  return names;
}

const typed = (file: string) => (args: readonly string[]) => runScript('', args, {}, () => ['--import', 'tsx', file]);
const ops: Run = (args) => runScript('ops', args);
const prove = typed('tools/prove.ts');

async function expectUsage(name: string, run: Run): Promise<void> {
  const [help, wrong] = await Promise.all([run(['--help']), run(['--no-such-flag'])]);
  expect({ name, ...help }).toEqual({ name, exitCode: 0, stdout: expect.stringContaining(name), stderr: '' });
  expect({ name, ...wrong }).toMatchObject({ exitCode: 2, stdout: '' });
  const [before, after] = wrong.stderr.split(help.stdout);
  expect({ name, before, after }).toEqual({ name, before: '', after: expect.stringMatching(/^\n\S[^\n]+\n$/) });
}

describe('every command', () => {
  it('prints its usage, on stdout if asked; else what is wrong comes last, on stderr, with exit code 2', async () => {
    for (const name of ['demo', 'reset', 'ops']) await expectUsage(name, (args) => runScript(name, args));
    for (const name of await commandsOf(ops)) await expectUsage(name, (args) => runOps(name, args));
    await expectUsage('words', typed('scripts/words.ts'));
    await expectUsage('prove', prove);
    for (const name of await commandsOf(prove)) await expectUsage(name, (args) => prove([name, ...args]));
  }, 120_000);

  it('is refused with the list if its name is unknown', async () => {
    const { exitCode, stdout, stderr } = await runOps('destroy', []);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^npm run ops -- COMMAND\n {4}doctor [\s\S]*\nThere is no command destroy\n$/);
  });
});
