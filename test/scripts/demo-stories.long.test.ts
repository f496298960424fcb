import { processesOf } from '../devnet/support/processes.ts';
import { temporaryFolder } from '../runner/after.ts';
import { leftoversIn } from './support/demo.ts';
import { runScript, startScript } from './support/run-script.ts';

/** The folder for the demo's temporary folder. */
let temporary: string;

beforeEach(async () => {
  temporary = await temporaryFolder();
});

describe('npm run demo', () => {
  it('stops everything on Ctrl-C, in the middle of the story', async () => {
    const demo = startScript('demo', ['--json'], { TMPDIR: temporary });
    await demo.says(/Ada subscribes/);
    expect(await processesOf(temporary)).not.toEqual([]);
    demo.child.kill('SIGINT');
    expect(await demo.ended).toMatchObject({ exitCode: 130, stdout: '' });
    expect(await leftoversIn(temporary)).toEqual([]);
  });

  it('exits with 2 and the usage for an unknown story', async () => {
    const end = await runScript('demo', ['--story', 'unheard'], { TMPDIR: temporary });
    expect(end).toMatchObject({ exitCode: 2, stdout: '' });
    expect(end.stderr).toContain('There is no story unheard: expected subscription');
    expect(await leftoversIn(temporary)).toEqual([]);
  });
});
