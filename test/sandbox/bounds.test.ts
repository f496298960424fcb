import { subscriptionContextOf } from '../../src/model/subscription.ts';
import { NOTHING } from '../../stage/scripted-chain.ts';
import { Sandboxed } from './support/sandboxed.ts';

const CLOCK_END = '9000-01-01T00:00:00.000Z';
const LONGEST = { billing: { type: 'recurring', interval: 'year', intervalCount: 365 } };

let sandboxed: Sandboxed;

const stored = () => sandboxed.merchant.subscription(sandboxed.id);

/** Pays periods ahead until no further one is possible. Returns the end of the last one. */
async function paidAhead(): Promise<string> {
  sandboxed = await Sandboxed.open({ option: LONGEST });
  sandboxed.charges.endAtOnce();
  for (let paid = ''; paid <= CLOCK_END; paid = subscriptionContextOf(await stored()).currentPeriodEnd ?? '') {
    expect(await sandboxed.charge()).toMatchObject({ outcome: 'settled' });
  }
  return subscriptionContextOf(await stored()).currentPeriodEnd ?? '';
}

describe('a clock', () => {
  it('is moved to the end of all clocks, and no further', async () => {
    sandboxed = await Sandboxed.open({ state: NOTHING });
    sandboxed.charges.endAtOnce();
    for (const to of ['9000-01-01T00:00:00.001Z', '9999-12-31T23:59:59.999Z']) {
      await expect(sandboxed.advance({ to: new Date(to) })).rejects.toMatchObject({
        status: 400,
        message: `to must not be after ${CLOCK_END}`,
      });
    }
    expect(await sandboxed.advance({ to: new Date(CLOCK_END) })).toMatchObject({ complete: true });
    await expect(sandboxed.advance({ days: 1 })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(`days must not lead beyond ${CLOCK_END}`),
    });
    expect((await stored()).quarantine).toBeNull();
  });

  it('does not reach moments after its end, and leaves no forced failure behind', async () => {
    const paidUntil = await paidAhead();
    const refusal = { status: 409, message: expect.stringContaining(CLOCK_END) };
    await expect(sandboxed.advance({})).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining(paidUntil),
    });
    for (const status of ['past_due', 'canceled'] as const) {
      await expect(sandboxed.advance({ status })).rejects.toMatchObject(refusal);
      expect(subscriptionContextOf(await stored()).forcedFailure).toBeNull();
    }
    expect(await sandboxed.advance({ days: 800 })).toMatchObject({ complete: true, status: 'active' });
  });
});

describe('a charge ahead', () => {
  it('is refused if its period would begin after that, and nothing is quarantined', async () => {
    const paidUntil = await paidAhead();
    await expect(sandboxed.charge()).rejects.toMatchObject({
      status: 409,
      message: `Subscription is paid until ${paidUntil}; a charge needs a period that begins by ${CLOCK_END}`,
    });
    expect(await stored()).toMatchObject({ status: 'active', quarantine: null });
  });
});
