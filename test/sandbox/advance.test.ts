import type { FailureReason } from '../../machines/effects.ts';
import { addDays } from '../../machines/rules/period.ts';
import { cancelSubscription } from '../../src/billing/subscriptions/subscriptions.ts';
import { until } from '../../stage/until.ts';
import { monthly } from '../support/bodies.ts';
import { openStage, type Stage } from './support/stage.ts';

const DAILY = { pricing: [{ ...monthly(), billing: { type: 'recurring', interval: 'day' } }] };
/** The most steps of one call (docs/rules.md, "Sandbox"). */
const STEPS_MAX = 60;

let stage: Stage;
afterEach(() => stage.end());

describe('an advance to a moment', () => {
  it('is complete if its last step is the last due one, without another call', async () => {
    stage = await openStage({ offer: DAILY });
    stage.begin();
    const { currentPeriodEnd } = await stage.advance({ status: 'active' });
    const to = new Date(addDays(currentPeriodEnd ?? '', STEPS_MAX - 1));
    const { complete, steps } = await stage.advance({ to });
    expect(steps).toHaveLength(STEPS_MAX);
    expect(complete).toBe(true);
  });

  it('reports that more is due if its steps are used up', async () => {
    stage = await openStage({ offer: DAILY });
    stage.begin();
    const { currentPeriodEnd } = await stage.advance({ status: 'active' });
    const to = new Date(addDays(currentPeriodEnd ?? '', STEPS_MAX));
    expect(await stage.advance({ to })).toMatchObject({ complete: false });
    expect(await stage.advance({ to })).toMatchObject({ complete: true, steps: [{ outcome: 'settled' }] });
  });

  it('is reached if the clock has passed it during an attempt', async () => {
    stage = await openStage();
    const charging = stage.charge();
    await untilAsked();
    const to = later(1_000);
    const advancing = stage.advance({ to });
    stage.http.now = later(2_000);
    stage.begin();
    expect(await charging).toMatchObject({ outcome: 'settled' });
    expect(await advancing).toMatchObject({ complete: true, steps: [], status: 'active' });
  });

  it('is refused if the clock had passed it before', async () => {
    stage = await openStage();
    stage.begin();
    await stage.advance({ status: 'active' });
    await expect(stage.advance({ to: later(-1) })).rejects.toThrow('to is in the past');
  });

  it('passes a scheduled cancel even if a past due charge cannot be attempted', async () => {
    stage = await openStage();
    stage.begin();
    const { currentPeriodEnd } = await stage.advance({ status: 'active' });
    await force('insufficient_balance');
    expect(await stage.charge()).toMatchObject({ outcome: 'failed' });
    await force(null);
    await cancelSubscription(deps(), stage.tenant, stage.id, { atPeriodEnd: true }, 'api');
    await removePayoutWallet();
    expect(await stage.advance({ days: 60 })).toMatchObject({
      complete: true,
      status: 'canceled',
      steps: [{ at: new Date(currentPeriodEnd ?? ''), from: 'past_due', to: 'canceled', outcome: null }],
    });
  });
});

async function force(reason: FailureReason | null): Promise<void> {
  const event = { type: 'failure.forced', reason } as const;
  await stage.processes[0]?.engine.dispatch({ kind: 'subscription', id: stage.id, event, by: 'test' });
}

async function removePayoutWallet(): Promise<void> {
  const { records } = stage.http.store;
  const [wallet] = await records.find('wallets', { where: {}, limit: 1 });
  await records.change('wallets', wallet?._id ?? '', {}, { set: { receiverWallet: null } });
}

function deps() {
  const [first] = stage.processes;
  if (!first) throw new Error('the stage has no process');
  return first.deps;
}

function later(ms: number): Date {
  return new Date(stage.http.now.getTime() + ms);
}

/** Waits until its charge waits for a sender: an attempt is under way. */
async function untilAsked(): Promise<void> {
  const waiting = () => stage.http.store.records.count('charges', { state: 'waiting' });
  await until('its charge waits', waiting, (count) => count > 0);
}
