import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/package/root.ts';
import { temporaryFolder } from '../runner/after.ts';
import { describeInChromium } from '../support/browser.ts';

describeInChromium('npm run build -- pictures', () => {
  it('takes each picture of the documents anew', async () => {
    const folder = await temporaryFolder();
    const args = ['--import', 'tsx', 'scripts/build.ts', 'pictures', '--out', folder];
    await promisify(execFile)(process.execPath, args, { cwd: packageRoot() });
    const known = await readdir(join(packageRoot(), 'docs', 'pictures'));
    expect((await readdir(folder)).sort()).toEqual(known.sort());
  }, 180_000);
});
