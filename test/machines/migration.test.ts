import { addDays } from '../../machines/rules/period.ts';
import type { Terms } from '../../machines/subscription/context.ts';
import {
  active,
  CANCEL,
  COMPLETED,
  charging,
  DUE,
  dunned,
  MONTHLY,
  pastDue,
  renewing,
  START,
  TestSubscription,
} from './support/subscription.ts';

const YEARLY: Terms = {
  ...MONTHLY,
  priceId: 'price_2',
  priceAmount: '99.00',
  amount: '99000000',
  interval: { unit: 'year', count: 1 },
};
const LINK_ENDS = addDays(START, 300);
const SIGNED = { type: 'migration.signed', wallet: '0xpayer' } as const;
const SEEN = { type: 'migration.seen', covers: true } as const;

function asked(of: TestSubscription, terms: Terms = YEARLY): TestSubscription {
  return of.goes({ type: 'migration.requested', terms, expiresAt: LINK_ENDS });
}

function authorized(of: TestSubscription, terms: Terms = YEARLY): TestSubscription {
  return asked(of, terms).goes(SIGNED, SEEN);
}

describe('an abandoned migration', () => {
  it('changes nothing: the present terms are still charged', () => {
    const made = asked(active());
    expect(made.falls()).toEqual(['open 2.1']);
    expect(made.asked.at(-1)).toMatchObject({ amount: MONTHLY.amount, priceId: 'price_1' });
    made.settles();
    expect(made.context).toMatchObject({ terms: MONTHLY, currentPeriodEnd: '2026-03-31T10:00:00.000Z' });
  });

  it('changes nothing if it is only signed, or only covered', () => {
    for (const half of [SIGNED, SEEN]) {
      expect(asked(active()).goes(half, 'falls').context.terms).toEqual(MONTHLY);
    }
  });

  it('accepts no signature after its link has ended, or if none was requested', () => {
    const made = asked(active());
    expect(active().refuses(SIGNED)).toBe(true);
    expect(made.at(LINK_ENDS).refuses(SIGNED)).toBe(true);
  });

  it('changes nothing if it is covered after its link has ended, however early it was signed', () => {
    const made = asked(active()).goes(SIGNED);
    expect(made.at(LINK_ENDS).refuses(SEEN)).toBe(true);
    made.send(DUE);
    expect(made.context.terms).toEqual(MONTHLY);
  });

  it('is replaced by the next one, without its signature', () => {
    const made = authorized(active());
    asked(made, { ...YEARLY, priceId: 'price_3' });
    expect(made.context.migration).toMatchObject({ terms: { priceId: 'price_3' }, wallet: null, covered: false });
  });
});

describe('the signature', () => {
  it('of another wallet than the checked one does not count as covered', () => {
    for (const make of [() => new TestSubscription(), active]) {
      const made = asked(make()).goes(SEEN);
      expect(made.send({ ...SIGNED, wallet: '0xother' })).toEqual(['watch migration']);
      expect(made.context.migration).toMatchObject({ wallet: '0xother', covered: false, authorizedAt: null });
      expect(made.context.terms).toEqual(MONTHLY);
    }
  });

  it('of the same wallet keeps the result of the check', () => {
    const made = asked(active()).goes(SEEN, SIGNED);
    expect(made.context.migration).toMatchObject({ covered: true, authorizedAt: made.now });
  });

  it('of another wallet replaces it later', () => {
    const made = authorized(active()).goes({ ...SIGNED, wallet: '0xother' });
    expect(made.context.migration).toMatchObject({ wallet: '0xother', covered: false, authorizedAt: null });
    made.falls();
    expect(made.context.terms).toEqual(MONTHLY);
  });
});

describe('a check of the allowance for new terms', () => {
  const reading = { priceId: 'price_2', tokenKey: MONTHLY.tokenKey, wallet: '0xpayer', chainId: 31_337, block: 8 };

  it('is ignored if it was of another wallet, of other terms, or of an older block', () => {
    const made = asked(active()).goes({ ...SEEN, reading });
    const gone = { ...SEEN, covers: false };
    for (const other of [{ wallet: '0xother' }, { priceId: 'price_3' }, { tokenKey: 'usdt-base' }, { block: 7 }]) {
      expect(made.refuses({ ...gone, reading: { ...reading, ...other } })).toBe(true);
    }
    expect(made.refuses({ ...gone, reading: { ...reading, block: 9 } })).toBe(false);
  });

  it('is ignored for replaced terms', () => {
    const made = asked(active());
    asked(made, { ...YEARLY, priceId: 'price_3' });
    expect(made.refuses({ ...SEEN, reading })).toBe(true);
  });
});

describe('an authorized migration', () => {
  it('keeps the present terms if it is not covered at the boundary, until it is covered again', () => {
    const made = authorized(active()).goes({ ...SEEN, covers: false });
    expect(made.falls()).toEqual(['open 2.1']);
    made.settles();
    expect(made.context).toMatchObject({ terms: MONTHLY, currentPeriodEnd: '2026-03-31T10:00:00.000Z' });
    made.at(LINK_ENDS).goes(SEEN, DUE);
    expect(made.context).toMatchObject({ terms: YEARLY, open: { number: 3, anchor: '2026-03-31T10:00:00.000Z' } });
  });

  it('dates the wallet by the first time it was signed and covered, not by the boundary', () => {
    const made = active();
    const authorizedAt = addDays(START, 5);
    authorized(made.at(authorizedAt));
    made.falls();
    expect(made.context).toMatchObject({ terms: YEARLY, authorizedAt });
  });

  it('comes next: a check of the present terms alone changes nothing for it', () => {
    const made = authorized(active());
    const reading = { tokenKey: MONTHLY.tokenKey, wallet: '0xpayer', chainId: 31_337, block: null };
    const gone = { type: 'allowance.seen', covers: false, payable: false } as const;
    expect(made.refuses({ ...gone, reading: { ...reading, priceId: 'price_1' } })).toBe(true);
    expect(made.refuses({ ...gone, reading: { ...reading, priceId: 'price_2' } })).toBe(false);
  });

  it('that is signed and covered during a first charge that settles waits for the boundary', () => {
    const made = authorized(charging()).goes('settles');
    expect(made.context.terms).toEqual(MONTHLY);
    expect(made.falls()).toEqual(['open 2.1', 'subscription.migrated', 'unwatch migration']);
  });

  it('after downtime over several periods buys the present one, counted from the boundary', () => {
    const made = authorized(active(), { ...YEARLY, interval: { unit: 'week', count: 1 } });
    made.at('2026-03-20T00:00:00.000Z').send(DUE);
    expect(made.context.open).toMatchObject({
      anchor: '2026-02-28T10:00:00.000Z',
      periodIndex: 2,
      periodStart: '2026-03-14T10:00:00.000Z',
    });
  });

  it('does not move the end of a trial', () => {
    const made = new TestSubscription({ trialDays: 14 }).goes({ type: 'allowance.seen', covers: true, payable: true });
    authorized(made);
    expect(made.due).toBe(addDays(START, 14));
    made.falls();
    expect(made.context).toMatchObject({ terms: YEARLY, open: { anchor: addDays(START, 14) } });
  });

  it('is checked before its first charge by its own price', () => {
    const made = authorized(active()).goes('checksAhead', { type: 'risk.seen', covers: true, payable: false });
    expect(made.asked.at(-1)).toMatchObject({ event: 'subscription.at_risk', data: { priceId: 'price_2' } });
  });

  it('of an active subscription waits for the boundary, which becomes the anchor', () => {
    const made = authorized(active());
    expect(made.context.terms).toEqual(MONTHLY);
    expect(made.falls()).toEqual(['open 2.1', 'subscription.migrated', 'unwatch migration']);
    expect(made.opened.at(-1)).toMatchObject({
      cycle: 2,
      amount: YEARLY.amount,
      priceId: 'price_2',
      periodStart: '2026-02-28T10:00:00.000Z',
      periodEnd: '2027-02-28T10:00:00.000Z',
    });
    made.settles();
    expect(made.context).toMatchObject({
      terms: YEARLY,
      migration: null,
      anchor: '2026-02-28T10:00:00.000Z',
      periodIndex: 0,
      cyclesCompleted: 2,
      currentPeriodEnd: '2027-02-28T10:00:00.000Z',
    });
  });

  it.each([
    ['in flight', renewing, []],
    ['past due', pastDue, ['falls']],
  ] as const)('keeps the amount of a renewal that is %s, and takes effect with the next', (_, make, tries) => {
    const made = authorized(make()).goes(...tries);
    expect(made.opened.at(-1)).toMatchObject({ cycle: 2, amount: MONTHLY.amount });
    made.settles();
    expect(made.context).toMatchObject({ terms: MONTHLY, currentPeriodEnd: '2026-03-31T10:00:00.000Z' });
    made.falls();
    expect(made.context).toMatchObject({ terms: YEARLY, open: { number: 3, anchor: '2026-03-31T10:00:00.000Z' } });
  });

  it('of a waiting pending subscription takes effect at once', () => {
    const made = asked(new TestSubscription()).goes(SIGNED);
    expect(made.send(SEEN)).toEqual(['subscription.migrated', 'unwatch any']);
    expect(made.context).toMatchObject({ terms: YEARLY, authorizedAt: START, wakeAt: START, migration: null });
    expect(made.falls()).toEqual(['open 1.1']);
  });

  it('of a subscription whose trial nobody had agreed to starts that trial', () => {
    const made = asked(new TestSubscription({ trialDays: 14 })).goes(SIGNED);
    expect(made.send(SEEN)).toEqual(['subscription.trialing', 'subscription.migrated', 'unwatch any']);
    expect(made.context.trialStartedAt).toBe(made.now);
  });

  it('of a pending subscription whose first charge has failed ends that cycle, and charges the new terms as the next', () => {
    const made = asked(dunned()).goes(SEEN);
    expect(made.send(SIGNED)).toEqual(['withdraw 1', 'subscription.migrated', 'unwatch any']);
    expect(made.stateName).toBe('pending.waiting');
    expect(made.falls()).toEqual(['open 2.1']);
    expect(made.context).toMatchObject({ terms: YEARLY, consecutiveFailures: 1, open: { number: 2, attempt: 1 } });
  });

  it('waits for a first charge in flight; if that fails, it takes effect at once', () => {
    const made = authorized(charging());
    expect(made.stateName).toBe('pending.charging');
    expect(made.fails()).toEqual([
      'payment.failed/insufficient_allowance',
      'free unit',
      'withdraw 1',
      'subscription.migrated',
      'unwatch migration',
    ]);
    expect(made.falls()).toEqual(['open 2.1']);
    expect(made.context.terms).toEqual(YEARLY);
  });

  it('counts all cycles against the new maxCycles, even if the old ones are used up', () => {
    expect(authorized(active(), { ...YEARLY, maxCycles: 1 }).falls()).toEqual(COMPLETED);
    const goesOn = authorized(active({ terms: { maxCycles: 1 } }), { ...YEARLY, maxCycles: 2 });
    expect(goesOn.falls()).toEqual(['open 2.1', 'subscription.migrated', 'unwatch migration']);
  });

  it('bills the signing wallet from then on', () => {
    const made = asked(active()).goes({ ...SIGNED, wallet: '0xother' }, SEEN, 'falls');
    expect(made.opened.at(-1)).toMatchObject({ cycle: 2, fromWallet: '0xother' });
  });

  it('ends when the subscription is canceled', () => {
    const made = authorized(active()).goes(CANCEL);
    expect(made.context.migration).toBeNull();
    expect(made.refuses(SIGNED)).toBe(true);
  });
});

describe('a refused first charge that was abandoned for new terms, and still lands', () => {
  const FIRST = { type: 'charge.settled', cycle: 1, attempt: 1, paymentId: 'pay_1' } as const;
  const TOLD = ['payment.succeeded', 'count late unit'];

  /** Its first cycle has failed, and new terms are in force. */
  function givenUp(): TestSubscription {
    const made = asked(dunned()).goes(SEEN);
    expect(made.send(SIGNED)).toContain('withdraw 1');
    return made;
  }

  it('is reported and counted once, and the replacing cycle is still charged', () => {
    const made = givenUp();
    expect(made.send(FIRST)).toEqual(TOLD);
    expect(made.send(FIRST)).toEqual([]);
    expect(made.stateName).toBe('pending.waiting');
    expect(made.falls()).toContain('open 2.1');
    expect(made.settles()).toContain('subscription.active');
    expect(made.context).toMatchObject({ cyclesCompleted: 2, lastCycle: 2, terms: YEARLY });
  });

  it.each([
    ['in flight', ['falls'], 'pending.charging', 1],
    ['failed', ['falls', 'fails'], 'pending.dunning', 1],
    ['paid', ['falls', 'settles'], 'active.waiting', 2],
    ['canceled', [CANCEL], 'canceled.closed', 1],
  ] as const)('has the same count, once, when the replacing cycle is %s', (_, steps, state, cyclesCompleted) => {
    const made = givenUp().goes(...steps);
    const { currentPeriodEnd } = made.context;
    expect([made.send(FIRST), made.send(FIRST)]).toEqual([TOLD, []]);
    expect(made.stateName).toBe(state);
    expect(made.context).toMatchObject({ cyclesCompleted, currentPeriodEnd });
  });
});
