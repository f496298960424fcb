import { bundledCommand } from '../../scripts/lib/build.ts';
import { temporaryFolder } from '../runner/after.ts';
import { leftoversIn, outcome } from './support/demo.ts';
import { runScript } from './support/run-script.ts';

/** The folder for the demo's temporary folder. */
let temporary: string;

beforeEach(async () => {
  temporary = await temporaryFolder();
});

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
    expect(reported.expectationsHeld).toBeGreaterThan(20);

    const charges = timeline.filter(({ what }) => / of cycle /.test(what));
    const attempts = ['settled', 'settled', 'settled', 'failed', 'settled', 'settled', 'settled'];
    expect(charges.map(({ status }) => status)).toEqual(attempts);
    expect(new Set(charges.flatMap(({ txHash }) => txHash ?? [])).size).toBe(6);
    expect(timeline.at(-1)).toMatchObject({ what: "Ada's subscription", status: 'canceled' });
    const failed = webhooks.filter(({ event }) => event === 'payment.failed');
    expect(failed).toMatchObject([{ sequence: 6, reason: 'insufficient_allowance' }]);
    expect(ledger.map(({ name, moved, claimed }) => [name, moved, claimed])).toEqual([
      ['Ada', '-87600000', '-87600000'],
      ['merchant', '86724000', '86724000'],
      ['platform', '876000', '876000'],
      ['operator', '0', '0'],
      ['router', '0', '0'],
    ]);

    expect(await leftoversIn(temporary)).toEqual([]);
  });
});
