import type { AdvanceInput } from '../../src/sandbox/advance.ts';
import { NOTHING, PLENTY } from '../../stage/scripted-chain.ts';
import { Sandboxed } from './support/sandboxed.ts';

type Status = 'pending' | NonNullable<AdvanceInput['status']>;

/** A subscription in this status, whose payer has plenty or nothing from then on. */
async function inStatus(status: Status, has: 'plenty' | 'nothing', option: object = {}): Promise<Sandboxed> {
  const sandboxed = await Sandboxed.open({ option, state: status === 'pending' ? NOTHING : PLENTY });
  sandboxed.charges.endAtOnce();
  if (status !== 'pending') await sandboxed.advance({ status });
  sandboxed.merchant.chain.state = has === 'plenty' ? PLENTY : NOTHING;
  return sandboxed;
}

const CANCELED = /^Subscription is canceled; advance needs pending, active or past_due$/;

describe('an advance to a status', () => {
  it.each([
    ['pending', 'plenty', 'active', ['settled']],
    ['pending', 'plenty', 'past_due', ['settled', 'failed']],
    ['pending', 'nothing', 'canceled', ['failed', 'failed', 'failed', 'failed', 'failed']],
    ['active', 'nothing', 'active', []],
    ['active', 'plenty', 'past_due', ['failed']],
    ['active', 'plenty', 'canceled', ['failed', 'failed', 'failed', 'failed', 'failed']],
    ['past_due', 'plenty', 'active', ['settled']],
    ['past_due', 'nothing', 'past_due', []],
    ['past_due', 'plenty', 'canceled', ['failed', 'failed', 'failed', 'failed']],
  ] as const)('leads from %s, with %s, to %s by these attempts: %j', async (from, has, status, outcomes) => {
    const { complete, steps, ...reached } = await (await inStatus(from, has)).advance({ status });
    expect([reached.status, complete, steps.map(({ outcome }) => outcome)]).toEqual([status, true, outcomes]);
  });

  const NO_ALLOWANCE = /^Subscription cannot become active: 0x\w+ has not allowed 0x/;
  it.each([
    ['pending', 'active', NO_ALLOWANCE],
    ['pending', 'past_due', NO_ALLOWANCE],
    ['past_due', 'active', NO_ALLOWANCE],
    ['canceled', 'active', CANCELED],
    ['canceled', 'past_due', CANCELED],
    ['canceled', 'canceled', CANCELED],
  ] as const)('is refused from %s to %s if the payer has nothing: %s', async (from, status, why) => {
    const sandboxed = await inStatus(from, 'nothing');
    const refusal = { status: 409, message: expect.stringMatching(why) };
    await expect(sandboxed.advance({ status })).rejects.toMatchObject(refusal);
    expect((await sandboxed.merchant.subscription(sandboxed.id)).status).toBe(from);
  });

  it('is refused by time, too, if the subscription is canceled', async () => {
    const refusal = { status: 409, message: expect.stringMatching(CANCELED) };
    await expect((await inStatus('canceled', 'plenty')).advance({ days: 1 })).rejects.toMatchObject(refusal);
  });
});

describe('a charge', () => {
  it.each([
    ['pending', 'nothing', {}, 'skipped', 'not_authorized'],
    ['pending', 'plenty', {}, 'settled', null],
    ['active', 'plenty', {}, 'settled', null],
    ['active', 'plenty', { maxCycles: 1 }, 'canceled', 'max_cycles_reached'],
    ['active', 'nothing', {}, 'failed', 'insufficient_allowance'],
    ['active', 'nothing', { maxFailedCycles: 1 }, 'canceled', 'insufficient_allowance'],
    ['past_due', 'plenty', {}, 'settled', null],
    ['past_due', 'nothing', {}, 'failed', 'insufficient_allowance'],
  ] as const)('of one that is %s, with %s and %j, is %s: %s', async (from, has, option, outcome, reason) => {
    expect(await (await inStatus(from, has, option)).charge()).toMatchObject({ outcome, reason });
  });
});
