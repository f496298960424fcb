import type { FailureReason } from '../../machines/effects.ts';
import { addDays } from '../../machines/rules/period.ts';
import { cancelSubscription } from '../../src/billing/subscriptions/subscriptions.ts';
import { PLENTY } from '../../stage/scripted-chain.ts';
import { Sandboxed } from './support/sandboxed.ts';

const DAILY = { billing: { type: 'recurring', interval: 'day' } };
/** The most steps of one call (docs/rules.md, "Sandbox"). */
const STEPS_MAX = 60;

let sandboxed: Sandboxed;

describe('an advance to a moment', () => {
  it('is complete if its last step is the last due one, without another call', async () => {
    sandboxed = await Sandboxed.open({ option: DAILY });
    sandboxed.charges.endAtOnce();
    const { currentPeriodEnd } = await sandboxed.advance({ status: 'active' });
    const to = new Date(addDays(currentPeriodEnd ?? '', STEPS_MAX - 1));
    const { complete, steps } = await sandboxed.advance({ to });
    expect(steps).toHaveLength(STEPS_MAX);
    expect(complete).toBe(true);
  });

  it('sees an approval that the chain had before the call, and charges at the end of the trial', async () => {
    sandboxed = await Sandboxed.open({ option: { ...DAILY, trialDays: 7 }, state: { allowance: 0n, balance: 0n } });
    sandboxed.charges.endAtOnce();
    sandboxed.merchant.chain.state = PLENTY;
    const steps = [{ from: 'pending', to: 'active', outcome: 'settled' }];
    expect(await sandboxed.advance({ days: 7 })).toMatchObject({ complete: true, status: 'active', steps });
  });

  it('reports that more is due if its steps are used up', async () => {
    sandboxed = await Sandboxed.open({ option: DAILY });
    sandboxed.charges.endAtOnce();
    const { currentPeriodEnd } = await sandboxed.advance({ status: 'active' });
    const to = new Date(addDays(currentPeriodEnd ?? '', STEPS_MAX));
    expect(await sandboxed.advance({ to })).toMatchObject({ complete: false });
    expect(await sandboxed.advance({ to })).toMatchObject({ complete: true, steps: [{ outcome: 'settled' }] });
  });

  it('is reached if the clock has passed it during an attempt', async () => {
    sandboxed = await Sandboxed.open();
    const charging = sandboxed.charge();
    await sandboxed.charges.waiting();
    const to = later(1_000);
    const advancing = sandboxed.advance({ to });
    sandboxed.merchant.http.now = later(2_000);
    sandboxed.charges.endAtOnce();
    expect(await charging).toMatchObject({ outcome: 'settled' });
    expect(await advancing).toMatchObject({ complete: true, steps: [], status: 'active' });
  });

  it('is refused if the clock had passed it before', async () => {
    sandboxed = await Sandboxed.open();
    sandboxed.charges.endAtOnce();
    await sandboxed.advance({ status: 'active' });
    await expect(sandboxed.advance({ to: later(-1) })).rejects.toThrow('to is in the past');
  });

  it('passes a scheduled cancel even if a past due charge cannot be attempted', async () => {
    sandboxed = await Sandboxed.open();
    sandboxed.charges.endAtOnce();
    const { currentPeriodEnd } = await sandboxed.advance({ status: 'active' });
    await force('insufficient_balance');
    expect(await sandboxed.charge()).toMatchObject({ outcome: 'failed' });
    await force(null);
    await cancelSubscription(
      sandboxed.merchant.billing.deps,
      sandboxed.tenant,
      sandboxed.id,
      { atPeriodEnd: true },
      'api',
    );
    await removePayoutWallet();
    expect(await sandboxed.advance({ days: 60 })).toMatchObject({
      complete: true,
      status: 'canceled',
      steps: [{ at: currentPeriodEnd ?? '', from: 'past_due', to: 'canceled' }],
    });
  });
});

async function force(reason: FailureReason | null): Promise<void> {
  await sandboxed.merchant.send(sandboxed.id, { type: 'failure.forced', reason });
}

async function removePayoutWallet(): Promise<void> {
  const { records } = sandboxed.merchant.http.store;
  const [wallet] = await records.find('wallets', { where: {}, limit: 1 });
  await records.change('wallets', wallet?._id ?? '', {}, { set: { receiverWallet: null } });
}

function later(ms: number): Date {
  return new Date(sandboxed.merchant.http.now.getTime() + ms);
}
