import { subscriptionContextOf } from '../../src/model/subscription.ts';
import type { ActorDoc } from '../../src/store/documents.ts';
import { NOTHING } from '../../stage/scripted-chain.ts';
import { monthly } from '../support/bodies.ts';
import { openStage, type Stage } from './support/stage.ts';

const CLOCK_END = '9000-01-01T00:00:00.000Z';
const LONGEST = { pricing: [{ ...monthly(), billing: { type: 'recurring', interval: 'year', intervalCount: 365 } }] };

let stage: Stage;
afterEach(() => stage.end());

async function stored(): Promise<ActorDoc> {
  const [doc] = await stage.http.store.actors.load('subscription', [stage.id]);
  if (!doc) throw new Error('the stage has no subscription');
  return doc;
}

/** Pays periods ahead until no further one is possible. Returns the end of the last one. */
async function paidAhead(): Promise<string> {
  stage = await openStage({ offer: LONGEST });
  stage.begin();
  for (let paid = ''; paid <= CLOCK_END; paid = subscriptionContextOf(await stored()).currentPeriodEnd ?? '') {
    expect(await stage.charge()).toMatchObject({ outcome: 'settled' });
  }
  return subscriptionContextOf(await stored()).currentPeriodEnd ?? '';
}

describe('a clock', () => {
  it('is moved to the end of all clocks, and no further', async () => {
    stage = await openStage({ means: NOTHING });
    stage.begin();
    for (const to of ['9000-01-01T00:00:00.001Z', '9999-12-31T23:59:59.999Z']) {
      await expect(stage.advance({ to: new Date(to) })).rejects.toMatchObject({
        status: 400,
        message: `to must not be after ${CLOCK_END}`,
      });
    }
    expect(await stage.advance({ to: new Date(CLOCK_END) })).toMatchObject({ complete: true });
    await expect(stage.advance({ days: 1 })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(`days must not lead beyond ${CLOCK_END}`),
    });
    expect((await stored()).quarantine).toBeNull();
  });

  it('does not reach moments after its end, and leaves no forced failure behind', async () => {
    const paidUntil = await paidAhead();
    const refusal = { status: 409, message: expect.stringContaining(CLOCK_END) };
    await expect(stage.advance({})).rejects.toMatchObject({ ...refusal, message: expect.stringContaining(paidUntil) });
    for (const status of ['past_due', 'canceled'] as const) {
      await expect(stage.advance({ status })).rejects.toMatchObject(refusal);
      expect(subscriptionContextOf(await stored()).forcedFailure).toBeNull();
    }
    expect(await stage.advance({ days: 800 })).toMatchObject({ complete: true, status: 'active' });
  });
});

describe('a charge ahead', () => {
  it('is refused if its period would begin after that, and nothing is quarantined', async () => {
    const paidUntil = await paidAhead();
    await expect(stage.charge()).rejects.toMatchObject({
      status: 409,
      message: `Subscription is paid until ${paidUntil}; a charge needs a period that begins by ${CLOCK_END}`,
    });
    expect(await stored()).toMatchObject({ status: 'active', quarantine: null });
  });
});
