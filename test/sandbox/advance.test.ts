import { afterEach, describe, expect, it } from '@jest/globals';
import { addDays } from '../../machines/rules/period.ts';
import type { AdvanceInput, AdvanceResult } from '../../src/billing/services.ts';
import type { TestBilling } from '../support/billing.ts';
import { monthly } from '../support/bodies.ts';
import { until } from '../support/until.ts';
import { openStage, type Stage } from './support/stage.ts';

const DAILY = { pricing: [{ ...monthly(), billing: { type: 'recurring', interval: 'day' } }] };
/** What one call does at most (docs/rules.md, "Sandbox"). */
const STEPS_MAX = 60;

let stage: Stage;
afterEach(() => stage.end());

function service(): TestBilling {
  const [first] = stage.processes;
  if (!first) throw new Error('the stage has no process');
  return first;
}

function advance(how: Partial<AdvanceInput>): Promise<AdvanceResult> {
  const input = { subscriptionId: stage.id, to: null, days: null, status: null, ...how };
  return service().services.sandbox.advance(stage.tenant, input);
}

describe('an advance to a moment', () => {
  it('is complete where its last step is the last that was due, and is not asked for again', async () => {
    stage = await openStage({ offer: DAILY });
    stage.begin(service);
    const { currentPeriodEnd } = await advance({ status: 'active' });
    const to = new Date(addDays(currentPeriodEnd?.toISOString() ?? '', STEPS_MAX - 1));
    const { complete, steps } = await advance({ to });
    expect(steps).toHaveLength(STEPS_MAX);
    expect(complete).toBe(true);
  });

  it('says that more is due where its steps have run out', async () => {
    stage = await openStage({ offer: DAILY });
    stage.begin(service);
    const { currentPeriodEnd } = await advance({ status: 'active' });
    const to = new Date(addDays(currentPeriodEnd?.toISOString() ?? '', STEPS_MAX));
    expect(await advance({ to })).toMatchObject({ complete: false });
    expect(await advance({ to })).toMatchObject({ complete: true, steps: [{ outcome: 'settled' }] });
  });

  it('is reached where the clock has passed it while an attempt was under way', async () => {
    stage = await openStage();
    const charging = service().services.sandbox.charge(stage.tenant, stage.id);
    await untilAsked();
    const to = later(1_000);
    const advancing = advance({ to });
    stage.http.now = later(2_000);
    stage.begin(service);
    expect(await charging).toMatchObject({ outcome: 'settled' });
    expect(await advancing).toMatchObject({ complete: true, steps: [], status: 'active' });
  });

  it('is refused where the clock had passed it before', async () => {
    stage = await openStage();
    stage.begin(service);
    await advance({ status: 'active' });
    await expect(advance({ to: later(-1) })).rejects.toThrow('to is in the past');
  });
});

function later(ms: number): Date {
  return new Date(stage.http.now.getTime() + ms);
}

/** Its charge waits for a sender: an attempt is under way. */
async function untilAsked(): Promise<void> {
  const waiting = () => stage.http.store.records.count('charges', { state: 'waiting' });
  await until('its charge waits', waiting, (count) => count > 0);
}
