import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { sourceCommand } from '../../scripts/lib/build.ts';
import { processesOf } from '../devnet/support/processes.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { runScript, startScript } from './support/run-script.ts';

const outcome = z.object({
  story: z.string(),
  ok: z.boolean(),
  failure: z.unknown(),
  expectationsHeld: z.int(),
  durationMs: z.int(),
  timeline: z.array(
    z.object({ at: z.iso.datetime(), what: z.string(), status: z.string().optional(), txHash: z.string().optional() }),
  ),
  webhooks: z.array(
    z.object({
      id: z.string(),
      event: z.string(),
      resource: z.string(),
      sequence: z.int(),
      reason: z.string().optional(),
    }),
  ),
  ledger: z.array(
    z.object({ name: z.string(), before: z.string(), after: z.string(), moved: z.string(), claimed: z.string() }),
  ),
});

/** Where the demo makes its temporary folder. */
let temporary: string;

beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'tl-demo-'));
});

afterEach(() => removeFolder(temporary));

/** Of the demo and all that it starts; the cache of the TypeScript loader is not its own. */
async function leftovers(): Promise<string[]> {
  const files = (await readdir(temporary)).filter((name) => !name.startsWith('tsx-'));
  return [...files, ...(await processesOf(temporary)).map(({ command }) => command)];
}

/** What was told of each subscription, in the order in which the first of it came. */
function reportedOf(webhooks: z.infer<typeof outcome>['webhooks']): string[][] {
  const ids = new Set(webhooks.map(({ resource }) => resource).filter((id) => id.startsWith('sub_')));
  return [...ids].map((id) =>
    webhooks
      .filter(({ resource }) => resource === id)
      .map(({ sequence, event, reason = '' }) => `${sequence} ${event} ${reason}`.trimEnd()),
  );
}

describe('npm run demo', () => {
  it('bills, recovers and ends subscriptions, whatever installation the environment names, and leaves nothing behind', async () => {
    const environment = {
      TMPDIR: temporary,
      MONGODB_URI: 'mongodb://127.0.0.1:1',
      RPC_URL_8453: 'http://127.0.0.1:1',
      PORT: '1',
      STAFF_TOKEN: 'of-another-service',
    };
    const end = await runScript('demo', ['--json'], environment, sourceCommand);
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

    expect(await leftovers()).toEqual([]);
  });

  it('tells of charges that fail: paid after all, given up after seven days, and ended by a limit', async () => {
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

  it('tells of other terms: asked for and left lying, asked for again and signed, in force with the next period', async () => {
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

  it('takes everything down on Ctrl-C, in the middle of the story', async () => {
    const demo = startScript('demo', ['--json'], { TMPDIR: temporary });
    await demo.says(/Ada subscribes/);
    expect(await processesOf(temporary)).not.toEqual([]);
    demo.child.kill('SIGINT');
    expect(await demo.ended).toMatchObject({ exitCode: 130, stdout: '' });
    expect(await leftovers()).toEqual([]);
  });

  it('exits with 2 and the usage for a story that does not exist', async () => {
    const end = await runScript('demo', ['--story', 'unreachable'], { TMPDIR: temporary });
    expect(end).toMatchObject({ exitCode: 2, stdout: '' });
    expect(end.stderr).toContain('There is no story unreachable: expected subscription');
    expect(await leftovers()).toEqual([]);
  });
});
