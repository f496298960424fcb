import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundledCommand } from '../../scripts/lib/build.ts';
import { removeFolder } from '../../stage/remove-folder.ts';
import { leftoversIn, outcome, reportedOf } from './support/demo.ts';
import { runScript } from './support/run-script.ts';

/** The folder for the demo's temporary folder. */
let temporary: string;

beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'tl-demo-'));
});

afterEach(() => removeFolder(temporary));

describe('npm run demo', () => {
  it('bills, recovers and ends subscriptions, whatever installation the environment names, and leaves nothing behind', async () => {
    const environment = {
      TMPDIR: temporary,
      MONGODB_URI: 'mongodb://127.0.0.1:1',
      RPC_URL_8453: 'http://127.0.0.1:1',
      PORT: '1',
      STAFF_TOKEN: 'of-another-service',
    };
    const end = await runScript('demo', ['--json'], environment, bundledCommand);
    expect(end.stderr).not.toContain('✗');
    expect(end.exitCode).toBe(0);
    const { timeline, webhooks, ledger, ...reported } = outcome.parse(JSON.parse(end.stdout));
    expect(reported).toMatchObject({ story: 'subscription', ok: true, failure: null });
    expect(reported.expectationsHeld).toBeGreaterThan(80);

    const charges = timeline.filter(({ what }) => what.startsWith('Charge of cycle'));
    const attempts = ['settled', 'settled', 'settled', 'failed', 'settled', 'settled', 'settled'];
    expect(charges.map(({ status }) => status)).toEqual(attempts);
    const mined = charges.flatMap(({ txHash }) => txHash ?? []);
    expect(new Set(mined).size).toBe(6);
    expect(timeline.at(-1)).toMatchObject({ what: 'It ends by itself', status: 'canceled' });
    expect(reportedOf(webhooks)).toEqual([
      [
        '1 subscription.created',
        '2 payment.succeeded',
        '3 subscription.active',
        '4 payment.succeeded',
        '5 payment.succeeded',
        '6 payment.failed insufficient_allowance',
        '7 payment.succeeded',
        '8 subscription.canceled',
      ],
      [
        '1 subscription.created',
        '2 payment.succeeded',
        '3 subscription.active',
        '4 payment.succeeded',
        '5 subscription.canceled max_cycles_reached',
      ],
    ]);
    const moved = Object.fromEntries(ledger.map((row) => [row.name, row.moved]));
    expect(moved).toEqual({
      payer: '-87600000',
      merchant: '86724000',
      platform: '876000',
      operator: '0',
      router: '0',
    });
    expect(ledger.every((row) => row.moved === row.claimed)).toBe(true);

    expect(await leftoversIn(temporary)).toEqual([]);
  });
});
