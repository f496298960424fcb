import { processesOf } from '../devnet/support/processes.ts';
import { temporaryFolder } from '../runner/after.ts';
import { leftoversIn, outcome } from './support/demo.ts';
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

  it('bills every honest payer in time during a siege', async () => {
    const end = await runScript('demo', ['--json', '--story', 'siege'], { TMPDIR: temporary });
    expect(end.stderr).not.toContain('✗');
    const { timeline, attempts, failure } = outcome.parse(JSON.parse(end.stdout));
    expect(failure).toBeNull();
    expect(timeline.map(({ what }) => what)).toContainEqual(expect.stringMatching(/^30 of 30 honest charges/));
    expect(new Set(attempts.map(({ stolen }) => stolen))).toEqual(new Set(['test key', 'database', 'nothing']));
    expect(await leftoversIn(temporary)).toEqual([]);
  }, 300_000);
});
