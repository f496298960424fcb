import { describe, expect, it } from '@jest/globals';
import { addDays } from '../../machines/rules/period.ts';
import type { Terms } from '../../machines/subscription/context.ts';
import { active, charging, dunned, MONTHLY, pastDue, START, TestSubscription } from './support/subscription.ts';

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
  of.tell({ type: 'migration.requested', terms, expiresAt: LINK_ENDS });
  return of;
}

function authorized(of: TestSubscription, terms: Terms = YEARLY): TestSubscription {
  asked(of, terms).tell(SIGNED);
  of.tell(SEEN);
  return of;
}

describe('an abandoned migration', () => {
  it('changes nothing: the present terms go on being charged', () => {
    const made = asked(active());
    expect(made.falls()).toEqual(['open 2.1']);
    expect(made.asked.at(-1)).toMatchObject({ amount: MONTHLY.amount, priceId: 'price_1' });
    made.settles();
    expect(made.context).toMatchObject({ terms: MONTHLY, currentPeriodEnd: '2026-03-31T10:00:00.000Z' });
  });

  it('changes nothing when it is only signed, or only covered', () => {
    for (const half of [SIGNED, SEEN]) {
      const made = asked(active());
      made.tell(half);
      made.falls();
      expect(made.context.terms).toEqual(MONTHLY);
    }
  });

  it('takes no signature once its link has ended, nor where none was asked for', () => {
    const made = asked(active());
    expect(active().refuses(SIGNED)).toBe(true);
    expect(made.at(LINK_ENDS).refuses(SIGNED)).toBe(true);
  });

  it('is replaced by the next one, whose signature it does not have', () => {
    const made = authorized(active());
    asked(made, { ...YEARLY, priceId: 'price_3' });
    expect(made.context.migration).toMatchObject({ terms: { priceId: 'price_3' }, wallet: null, covered: false });
  });
});

describe('an authorized migration', () => {
  it('of an active subscription waits for the boundary, which becomes the anchor', () => {
    const made = authorized(active());
    expect(made.context.terms).toEqual(MONTHLY);
    expect(made.falls()).toEqual(['open 2.1', 'subscription.migrated', 'unwatch migration']);
    expect(made.asked.find((effect) => effect.type === 'charge.open' && effect.cycle === 2)).toMatchObject({
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

  it('keeps the open cycle of a past due one, and takes effect with the next', () => {
    const made = authorized(pastDue());
    made.falls();
    expect(made.asked.findLast(({ type }) => type === 'charge.open')).toMatchObject({
      cycle: 2,
      amount: MONTHLY.amount,
    });
    made.settles();
    expect(made.context).toMatchObject({ terms: MONTHLY, currentPeriodEnd: '2026-03-31T10:00:00.000Z' });
    made.falls();
    expect(made.context).toMatchObject({ terms: YEARLY, open: { number: 3, anchor: '2026-03-31T10:00:00.000Z' } });
  });

  it('of a pending one that waits takes effect at once', () => {
    const made = asked(new TestSubscription());
    made.tell(SIGNED);
    expect(made.tell(SEEN)).toEqual(['subscription.migrated', 'unwatch any']);
    expect(made.context).toMatchObject({ terms: YEARLY, authorizedAt: START, wakeAt: START, migration: null });
    expect(made.falls()).toEqual(['open 1.1']);
  });

  it('of a pending one whose first charge has failed ends that cycle, and charges the new terms as the next', () => {
    const made = asked(dunned());
    made.tell(SEEN);
    expect(made.tell(SIGNED)).toEqual(['withdraw 1', 'subscription.migrated', 'unwatch any']);
    expect(made.place).toBe('pending.waiting');
    expect(made.falls()).toEqual(['open 2.1']);
    expect(made.context).toMatchObject({ terms: YEARLY, consecutiveFailures: 1, open: { number: 2, attempt: 1 } });
  });

  it('waits for a first charge in flight: where that fails, it takes effect at once', () => {
    const made = authorized(charging());
    expect(made.place).toBe('pending.charging');
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

  it('counts all cycles against the new maxCycles, also where the old ones are used up', () => {
    const ended = authorized(active(), { ...YEARLY, maxCycles: 1 });
    expect(ended.falls()).toEqual(['subscription.canceled/max_cycles_reached', 'unwatch any']);
    const goesOn = authorized(active({ terms: { maxCycles: 1 } }), { ...YEARLY, maxCycles: 2 });
    expect(goesOn.falls()).toEqual(['open 2.1', 'subscription.migrated', 'unwatch migration']);
  });

  it('bills the wallet that has signed from then on', () => {
    const made = asked(active());
    made.tell({ ...SIGNED, wallet: '0xother' });
    made.tell(SEEN);
    made.falls();
    expect(made.asked.find((effect) => effect.type === 'charge.open' && effect.cycle === 2)).toMatchObject({
      fromWallet: '0xother',
    });
  });

  it('is gone once the subscription is canceled', () => {
    const made = authorized(active());
    made.tell({ type: 'cancel.requested', atPeriodEnd: false, reason: 'requested' });
    expect(made.context.migration).toBeNull();
    expect(made.refuses(SIGNED)).toBe(true);
  });
});
