import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../src/package/root.ts';
import { runScript } from './support/run-script.ts';

describe('every command of scripts/', () => {
  it('prints its usage, on stdout if asked; else what is wrong comes last, on stderr, with exit code 2', async () => {
    const files = await readdir(join(packageRoot(), 'scripts'));
    const names = files.filter((name) => name.endsWith('.ts')).map((name) => name.slice(0, -'.ts'.length));
    expect(names).toEqual(expect.arrayContaining(['doctor', 'merchant', 'web', 'webhooks']));
    for (const name of names) {
      const [help, wrong] = await Promise.all([runScript(name, ['--help']), runScript(name, ['--no-such-flag'])]);
      expect({ name, ...help }).toEqual({ name, exitCode: 0, stdout: expect.stringContaining(name), stderr: '' });
      expect({ name, ...wrong }).toMatchObject({ exitCode: 2, stdout: '' });
      const [before, after] = wrong.stderr.split(help.stdout);
      expect({ name, before, after }).toEqual({ name, before: '', after: expect.stringMatching(/^\n\S[^\n]+\n$/) });
    }
  }, 120_000);
});
