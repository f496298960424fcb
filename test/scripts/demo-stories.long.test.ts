import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localKey } from '../../devnet/evm-wallets.ts';
import { removeFolder } from '../../stage/remove-folder.ts';
import { processesOf } from '../devnet/support/processes.ts';
import { leftoversIn, outcome, reportedOf } from './support/demo.ts';
import { runScript, startScript } from './support/run-script.ts';

/** The folder for the demo's temporary folder. */
let temporary: string;

beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'tl-demo-'));
});

afterEach(() => removeFolder(temporary));

describe('npm run demo', () => {
  it('shows failed charges: paid later, abandoned after seven days, and ended by a limit', async () => {
    const end = await runScript('demo', ['--json', '--story', 'dunning'], { TMPDIR: temporary });
    expect(end.stderr).not.toContain('✗');
    expect(end.exitCode).toBe(0);
    const { timeline, webhooks, ledger, ...reported } = outcome.parse(JSON.parse(end.stdout));
    expect(reported).toMatchObject({ story: 'dunning', ok: true, failure: null });
    expect(reported.expectationsHeld).toBeGreaterThan(120);

    const attempts = timeline.filter(({ what }) => what.startsWith('Attempt'));
    expect(attempts.map(({ what }) => what.replace(/^.* day /, ''))).toEqual(['1', '3', '1', '3', '5', '7', '1']);
    const firstCharge = ['1 subscription.created', '2 payment.succeeded', '3 subscription.active'];
    const failures = (...sequences: number[]) =>
      sequences.map((sequence) => `${sequence} payment.failed insufficient_allowance`);
    expect(reportedOf(webhooks)).toEqual([
      [...firstCharge, ...failures(4, 5, 6), '7 payment.succeeded', '8 subscription.canceled'],
      [...firstCharge, ...failures(4, 5, 6, 7, 8), '9 subscription.canceled max_failed_cycles_reached'],
      [...firstCharge, ...failures(4, 5), '6 subscription.canceled max_failed_cycles_reached'],
    ]);
    expect(ledger.map(({ name, moved, claimed }) => [name, moved, claimed])).toEqual([
      ['payer', '-55800000', '-55800000'],
      ['merchant', '55242000', '55242000'],
      ['platform', '558000', '558000'],
      ['operator', '0', '0'],
      ['router', '0', '0'],
    ]);
  });

  it('shows other terms: first ignored, then signed, and in force with the next period', async () => {
    const end = await runScript('demo', ['--json', '--story', 'migrate'], { TMPDIR: temporary });
    expect(end.stderr).not.toContain('✗');
    expect(end.exitCode).toBe(0);
    const { timeline, webhooks, ledger, ...reported } = outcome.parse(JSON.parse(end.stdout));
    expect(reported).toMatchObject({ story: 'migrate', ok: true, failure: null });
    expect(timeline.filter(({ status }) => status === 'settled').length).toBe(4);
    expect(reportedOf(webhooks)).toEqual([
      [
        '1 subscription.created',
        '2 payment.succeeded',
        '3 subscription.active',
        '4 payment.succeeded',
        '5 payment.succeeded',
        '6 payment.succeeded',
        '7 subscription.canceled',
      ],
    ]);
    expect(ledger.map(({ name, moved, claimed }) => [name, moved, claimed])).toEqual([
      ['payer', '-217800000', '-217800000'],
      ['merchant', '215622000', '215622000'],
      ['platform', '2178000', '2178000'],
      ['operator', '0', '0'],
      ['router', '0', '0'],
    ]);
  });

  it('shows what a thief takes: nothing of what a payer signed, and all of an open allowance', async () => {
    const end = await runScript('demo', ['--json', '--story', 'thief'], { TMPDIR: temporary });
    expect(end.stderr).not.toContain('✗');
    expect(end.exitCode).toBe(0);
    const { attempts, ...reported } = outcome.parse(JSON.parse(end.stdout));
    expect(reported).toMatchObject({ story: 'thief', ok: true, failure: null });
    const [merchant, platform] = ['merchant', 'platform'].map((name) => localKey(`wallet ${name}`).address);
    const moved = (victim: string, stolen: string) =>
      attempts.filter((each) => each.victim === victim && each.stolen === stolen).flatMap(({ transfers }) => transfers);
    const stolenFrom = (victim: string) =>
      ['sender key', 'API key', 'database'].map((stolen) => {
        const transfers = moved(victim, stolen);
        const thefts = transfers.filter(({ to }) => ![merchant, platform].includes(to)).map(({ txHash }) => txHash);
        const lost = transfers.filter(({ txHash }) => thefts.includes(txHash));
        return lost.reduce((sum, { value }) => sum + Number(value), 0);
      });
    expect(stolenFrom('Ada')).toEqual([0, 0, 0]);
    expect(stolenFrom('Cleo')).toEqual([0, 0, 0]);
    expect(stolenFrom('Bob')).toEqual([108_900_000, 108_900_000, 118_800_000]);

    const answers = (victim: string) => attempts.flatMap((each) => (each.victim === victim ? [each.answer] : []));
    expect(answers('Ada')).toEqual([
      'refused, AbovePerCharge',
      'refused, NotPayee',
      'refused, BadSignature',
      'refused, AboveFee',
      'refused, BadSignature',
      'refused, BadSignature',
      'refused, BadSignature',
      'refused, Seen',
      'refused, NotPayee',
      'refused, PullFailed: insufficient allowance',
      'refused, NotRouter',
      'charged',
      'settled',
      'failed, insufficient_allowance',
      'settled',
      'settled',
      'settled',
      'failed, pull_reverted: above_per_charge',
      'failed, pull_reverted: not_payee',
      'refused, Revoked',
    ]);
    expect(answers('Cleo')).toEqual([
      'charged',
      'refused, AheadOfRhythm',
      'refused, TooEarly',
      'refused, TooLate',
      'charged',
      'refused, UsedUp',
      'charged',
      'refused, Superseded',
    ]);
    expect(await leftoversIn(temporary)).toEqual([]);
  });

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
