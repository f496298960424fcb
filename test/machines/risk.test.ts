import { addDays } from '../../machines/rules/period.ts';
import {
  active,
  CANCEL,
  CANCEL_AT_END,
  CANCELED,
  COVERED,
  DUE,
  MONTHLY,
  NO_WALLET,
  pastDue,
  RESUME,
  START,
  TestSubscription,
} from './support/subscription.ts';

const CHARGE_AT = '2026-02-28T10:00:00.000Z';
const SHORT = { type: 'risk.seen', covers: false, payable: false } as const;
const POOR = { type: 'risk.seen', covers: true, payable: false } as const;
const FINE = { type: 'risk.seen', covers: true, payable: true } as const;
const DAILY = { terms: { interval: { unit: 'day', count: 1 } } } as const;

/** The times at which it is woken before it falls due. */
function checksOf(made: TestSubscription): (string | null)[] {
  const moments: (string | null)[] = [];
  while (made.context.wakeAt !== made.due) {
    moments.push(made.context.wakeAt);
    made.checksAhead();
  }
  return moments;
}

describe('before a renewal', () => {
  it('the chain is checked 7, 3 and 1 days ahead, and then it is charged', () => {
    const made = active();
    expect(checksOf(made)).toEqual([7, 3, 1].map((days) => addDays(CHARGE_AT, -days)));
    expect(made.due).toBe(CHARGE_AT);
    expect(made.falls()).toEqual(['unwatch risk', 'open 2.1']);
    made.settles();
    expect(checksOf(made)).toEqual([7, 3, 1].map((days) => addDays('2026-03-31T10:00:00.000Z', -days)));
  });

  it('of a daily plan nothing is checked, and nothing else changes', () => {
    const made = active(DAILY);
    const asked = made.asked.length;
    expect(made.context.wakeAt).toBe(made.due);
    for (let cycle = 0; cycle < 5; cycle += 1) {
      made.goes('falls', 'settles');
    }
    expect(made.refuses({ type: 'risk.due' })).toBe(true);
    expect(new Set(made.asked.slice(asked).map(({ type }) => type))).toEqual(new Set(['charge.open', 'webhook.emit']));
  });

  it('only the charge happens after downtime over the checks', () => {
    const made = active().at(addDays(CHARGE_AT, 2)).goes(DUE);
    expect(made.stateName).toBe('active.charging');
    expect(made.context.risk).toEqual({ lookAt: null, isAwaited: false, short: null });
  });

  it('a check whose time passed together with that of the charge is made, and the charge is due next', () => {
    const made = active().at(CHARGE_AT).goes({ type: 'risk.due' });
    expect(made.context.wakeAt).toBe(CHARGE_AT);
    expect(made.falls()).toEqual(['unwatch risk', 'open 2.1']);
  });

  it('no check is made if no charge will follow', () => {
    const scheduled = active().goes(CANCEL_AT_END);
    const last = active({ terms: { maxCycles: 1 } });
    for (const made of [scheduled, last])
      expect([made.context.risk.lookAt, made.context.wakeAt]).toEqual([null, CHARGE_AT]);
    scheduled.send(RESUME);
    expect(checksOf(scheduled)).toHaveLength(3);
  });

  it('no check is made while a charge is past due, or deferred', () => {
    const late = pastDue();
    const deferred = active();
    deferred.falls(NO_WALLET);
    for (const made of [late, deferred]) expect(made.context.risk.lookAt).toBeNull();
  });
});

describe('before the end of a trial', () => {
  it('the chain is checked if the payer has authorized', () => {
    const made = new TestSubscription({ trialDays: 14 });
    expect(made.context.wakeAt).toBeNull();
    made.send(COVERED);
    const end = addDays(START, 14);
    expect(checksOf(made)).toEqual([7, 3, 1].map((days) => addDays(end, -days)));
    made.send(SHORT);
    expect(made.falls()).toEqual(['unwatch risk', 'open 1.1']);
  });

  it('only the checks after the authorization are made', () => {
    const made = new TestSubscription({ trialDays: 14 }).at(addDays(START, 12)).goes(COVERED);
    expect(checksOf(made)).toEqual([addDays(START, 13)]);
  });
});

describe('the result of a check', () => {
  function checked(): TestSubscription {
    return active().goes('checksAhead');
  }

  it.each([
    [SHORT, 'insufficient_allowance'],
    [POOR, 'insufficient_balance'],
  ] as const)('is reported once if it is short, with the time of the charge: %j', (seen, reason) => {
    const made = checked();
    expect(made.send(seen)).toEqual([`subscription.at_risk/${reason}`]);
    expect(made.asked.at(-1)).toEqual({
      type: 'webhook.emit',
      event: 'subscription.at_risk',
      data: { subscriptionId: 'sub_1', offerId: 'offer_1', priceId: 'price_1', reason, chargeAt: CHARGE_AT },
    });
    expect(made.context.risk).toMatchObject({ isAwaited: false, short: reason });
    expect(made.refuses(seen)).toBe(true);
  });

  it('is reported again by the next check that finds it short', () => {
    const made = checked().goes(SHORT, 'checksAhead');
    expect(made.send(POOR)).toEqual(['subscription.at_risk/insufficient_balance']);
    made.checksAhead();
    expect(made.send(FINE)).toEqual(['unwatch risk']);
    expect(made.context.risk).toEqual({ lookAt: null, isAwaited: false, short: null });
  });

  it('is not reported if all is well', () => {
    const made = checked();
    expect(made.send(FINE)).toEqual(['unwatch risk']);
    expect(made.context.risk).toMatchObject({ isAwaited: false, short: null });
    expect(made.falls()).toEqual(['open 2.1']);
  });

  it('is cleared by a check that finds enough, and reports the other lack if there is one', () => {
    const made = checked().goes(SHORT);
    expect(made.send({ type: 'allowance.seen', covers: true, payable: false })).toEqual([]);
    expect(made.context.risk.short).toBe('insufficient_balance');
    expect(made.send(COVERED)).toEqual(['unwatch risk']);
    expect(made.context.risk.short).toBeNull();
  });

  it('is cleared by a charge that still settles', () => {
    const made = checked().goes(POOR);
    expect(made.falls()).toEqual(['unwatch risk', 'open 2.1']);
    expect(made.context.risk.short).toBe('insufficient_balance');
    made.settles();
    expect(made.context.risk.short).toBeNull();
  });

  it('is ignored when the charge has been opened', () => {
    expect(checked().goes('falls').refuses(SHORT)).toBe(true);
  });

  it('is ignored for another wallet, other terms, or an older block', () => {
    const reading = { priceId: 'price_1', tokenKey: MONTHLY.tokenKey, wallet: '0xpayer', chainId: 31_337, block: 8 };
    const made = checked().goes({ ...SHORT, reading }, 'checksAhead');
    for (const other of [{ wallet: '0xother' }, { priceId: 'price_2' }, { tokenKey: 'usdt-base' }, { block: 7 }]) {
      expect(made.refuses({ ...FINE, reading: { ...reading, ...other } })).toBe(true);
    }
    expect(made.refuses({ ...FINE, reading })).toBe(false);
    expect(made.refuses({ ...FINE, reading: { ...reading, block: null } })).toBe(false);
  });

  it('is cleared at the end', () => {
    const made = checked().goes(SHORT);
    expect(made.send(CANCEL)).toEqual(CANCELED);
    expect(made.context.risk).toEqual({ lookAt: null, isAwaited: false, short: null });
  });
});
