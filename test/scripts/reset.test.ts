import { join } from 'node:path';
import { temporaryFolder } from '../runner/after.ts';
import { runScript } from './support/run-script.ts';

const folder = await temporaryFolder();
const dataDir = join(folder, 'data');

describe('npm run reset', () => {
  it('does not take a flag for a folder, and prints its usage and then the mistake', async () => {
    const help = await runScript('reset', ['--help'], { DATA_DIR: dataDir });
    expect([help.exitCode, help.stdout]).toEqual([0, expect.stringMatching(/^npm run reset \[-- FOLDER\]/)]);
    for (const args of [['--force'], [dataDir, 'other']]) {
      const { exitCode, stdout, stderr } = await runScript('reset', args, { DATA_DIR: dataDir });
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr.split(help.stdout)).toEqual(['', expect.stringMatching(`^\n[^\n]+${args.at(-1)}[^\n]*\n$`)]);
    }
  });
});
