import fc from 'fast-check';
import type { EffectOf } from '../../machines/effects.ts';
import { addDays, periodAt } from '../../machines/rules/period.ts';
import { creditFor, isDowngrade } from '../../machines/rules/proration.ts';
import type { Terms } from '../../machines/subscription/context.ts';
import {
  ASKED,
  active,
  CANCEL_AT_END,
  DUE,
  MONTHLY,
  NO_WALLET,
  pastDue,
  READY,
  RESUME,
  renewing,
  START,
  type TestSubscription,
} from './support/subscription.ts';

/** A month from 31 January, of 28 days; and prices that may follow. */
const MONTH = { start: START, end: '2026-02-28T10:00:00.000Z' };
const HALF = addDays(START, 14);
const PRO: Terms = { ...MONTHLY, priceId: 'price_2', amount: '30000000' };
const PAID = { amount: MONTHLY.amount, paymentId: 'pay_1' };
const SIGNED = { type: 'migration.signed', wallet: '0xpayer' } as const;
const SEEN = { type: 'migration.seen', covers: true } as const;
const TAKE_BACK = { type: 'migration_cancel.requested' } as const;

const asking = (terms: Terms = PRO, proration: 'credit' | null = 'credit') =>
  ({
    type: 'migration.requested',
    terms,
    expiresAt: addDays(START, 30_000),
    when: 'now',
    ...(proration === null ? {} : { proration }),
  }) as const;

/** In the middle of its first month, with a change at once that is signed and covered. */
function agreed(terms: Terms = PRO, proration: 'credit' | null = 'credit'): TestSubscription {
  return active().at(HALF).goes(asking(terms, proration), SIGNED, SEEN);
}

function opens(made: TestSubscription, paid: typeof PAID | null = PAID): EffectOf<'charge.open'> | undefined {
  made.send({ ...DUE, charge: { ready: true, paid } });
  return made.opened.at(-1);
}

describe('the credit for unused time', () => {
  it.each([
    [28n, START, 28n],
    [28n, HALF, 14n],
    [9_900_000n, HALF, 4_950_000n],
    [9_900_000n, addDays(START, 27), 353_571n],
    [10n, '2026-02-28T09:59:59.999Z', 0n],
    [28n, addDays(START, 40), 0n],
    [28n, addDays(START, -1), 28n],
  ])('of %s at %s is %s', (worth, now, credit) => expect(creditFor(worth, MONTH, now)).toBe(credit));

  it('is for more money, or a longer period: less is a downgrade', () => {
    const plan = (amount: string, unit: 'month' | 'year', count = 1) => ({ amount, interval: { unit, count } });
    expect(isDowngrade(plan('10', 'month'), plan('10', 'month'))).toBe(false);
    expect(isDowngrade(plan('10', 'month'), plan('99', 'year'))).toBe(false);
    expect(isDowngrade(plan('10', 'month'), plan('9', 'year'))).toBe(true);
    expect(isDowngrade(plan('99', 'year'), plan('200', 'month', 11))).toBe(true);
  });
});

describe('a change at once', () => {
  it('is due as soon as it is signed and covered, and no longer than that', () => {
    const made = active().at(HALF).goes(asking(), SIGNED);
    expect(made.due).toBe(MONTH.end);
    made.goes(SEEN);
    expect([made.due, made.state.context['wakeAt']]).toEqual([HALF, HALF]);
    made.goes({ ...SEEN, covers: false });
    expect(made.due).toBe(MONTH.end);
  });

  it('charges the new amount less the credit, and begins a new period; it is announced when that is paid', () => {
    const made = agreed();
    expect(opens(made)).toMatchObject({
      ...{ cycle: 2, amount: '25050000', priceId: 'price_2' },
      credit: { amount: '4950000', paymentId: 'pay_1' },
      ...{ periodStart: HALF, periodEnd: '2026-03-14T10:00:00.000Z' },
    });
    expect(made.context).toMatchObject({ currentPeriodEnd: MONTH.end, migration: null });
    expect(made.settles()).toEqual(['payment.succeeded', 'subscription.migrated']);
    expect(made.context).toMatchObject({
      terms: PRO,
      currentPeriodEnd: '2026-03-14T10:00:00.000Z',
      cyclesCompleted: 2,
    });
    made.falls();
    expect(made.asked.at(-1)).toMatchObject({ cycle: 3, amount: PRO.amount });
  });

  it('charges the whole new amount without a credit, and in the order of a retry too', () => {
    expect(opens(agreed(PRO, null))).toMatchObject({ amount: PRO.amount, periodStart: HALF });
    const deferred = agreed(PRO, null).goes({ ...DUE, charge: NO_WALLET });
    expect(deferred.context.deferred).not.toBeNull();
    expect(deferred.send({ type: 'retry.requested', charge: READY })).toContain('open 2.1');
  });

  it('waits until what the period is worth is read, and for the next period if the credit would be everything', () => {
    expect(agreed().send(DUE)).toEqual([]);
    for (const paid of [null, { ...PAID, amount: '60000000' }]) {
      const made = agreed();
      expect(opens(made, paid)).toMatchObject({ cycle: 1 });
      expect([made.due, made.context.migration?.when]).toEqual([MONTH.end, undefined]);
      expect(made.falls()).toContain('subscription.migrated');
      expect(made.context.open).toMatchObject({ periodStart: MONTH.end });
    }
  });

  it('begins with the next period without a credit if it is authorized after the end of the paid one', () => {
    const made = agreed().at(MONTH.end);
    expect(opens(made)).toMatchObject({ amount: PRO.amount, periodStart: MONTH.end });
    expect(made.context.open?.change).toBeUndefined();
  });

  it('is refused while a cycle is open, and while an end is scheduled, for which an earlier one waits', () => {
    expect([renewing(), pastDue(), active().goes(CANCEL_AT_END)].map((made) => made.refuses(asking()))).toEqual([
      true,
      true,
      true,
    ]);
    const made = agreed().goes(CANCEL_AT_END);
    expect(made.due).toBe(MONTH.end);
    expect(made.goes(RESUME).due).toBe(HALF);
  });

  it('is not made if the new terms allow no further cycle', () => {
    expect(agreed({ ...PRO, maxCycles: 1 }).due).toBe(MONTH.end);
  });

  it('ends with its own period if its end is scheduled while it is charged', () => {
    const made = agreed();
    opens(made);
    made.goes(CANCEL_AT_END);
    expect(made.context.cancelAt).toBe(MONTH.end);
    made.settles();
    expect(made.context).toMatchObject({ cancelAt: '2026-03-14T10:00:00.000Z' });
  });
});

describe('a change at once whose charge fails', () => {
  it('is undone: terms, payer and paid period stay, no failure counts, and it can be signed again', () => {
    const made = active({ terms: { maxFailedCycles: 1 } })
      .at(HALF)
      .goes(asking(), { ...SIGNED, wallet: '0xother' }, SEEN);
    const before = made.context;
    opens(made);
    expect(made.fails('insufficient_balance')).toEqual(['payment.failed/insufficient_balance', 'watch migration']);
    const unsigned = { terms: PRO, when: 'now', proration: 'credit', wallet: null, covered: false };
    expect(made.stateName).toBe('active.waiting');
    expect(made.context).toMatchObject({
      ...{ terms: before.terms, payerWallet: '0xpayer', currentPeriodEnd: MONTH.end, consecutiveFailures: 0 },
      ...{ open: null, lastCycle: 2, migration: unsigned, wakeAt: before.risk.lookAt ?? made.context.wakeAt },
    });
    expect(made.due).toBe(MONTH.end);
    made.goes(SIGNED, SEEN);
    expect(opens(made)).toMatchObject({ cycle: 3, amount: '25050000' });
  });

  it('keeps a wallet that has signed meanwhile', () => {
    const made = agreed();
    opens(made);
    made.goes({ type: 'payer.authorized', wallet: '0xnew' }, 'fails');
    expect(made.context).toMatchObject({ payerWallet: '0xnew', terms: { priceId: 'price_1' }, authorizedAt: null });
  });

  it('counts, and changes nothing, if it lands after all', () => {
    const made = agreed();
    opens(made);
    const { attempt } = made;
    made.fails();
    expect(made.send({ type: 'charge.settled', ...attempt })).toEqual(['payment.succeeded']);
    expect(made.context).toMatchObject({ cyclesCompleted: 2, currentPeriodEnd: MONTH.end, terms: MONTHLY });
  });

  it('is past due if an earlier cycle was reorged out meanwhile', () => {
    const made = agreed();
    opens(made);
    made.goes({
      type: 'charge.reorged',
      cycle: 1,
      attempt: 1,
      paymentId: 'pay_1',
      periodStart: START,
      periodEnd: MONTH.end,
    });
    made.fails();
    expect(made.stateName).toBe('past_due.waiting');
    expect(made.context).toMatchObject({ terms: MONTHLY, open: { number: 1 } });
  });
});

it('a change at once that is reorged out is owed with its credit, which is not given again', () => {
  const made = agreed();
  opens(made);
  const { attempt } = made;
  made.settles();
  const period = { periodStart: HALF, periodEnd: '2026-03-14T10:00:00.000Z' };
  made.goes({ type: 'charge.reorged', ...attempt, ...period });
  expect(made.context).toMatchObject({ terms: PRO, open: { number: 2 } });
  made.goes('falls');
  // Its payment exists, and keeps its amount.
  const opened = made.opened.filter(({ cycle }) => cycle === 2);
  expect(opened).toMatchObject([{ credit: { amount: '4950000' } }, { attempt: 2 }]);
  expect(opened[1]).not.toHaveProperty('credit');
});

describe('a migration that is taken back', () => {
  it('changes nothing, whenever it would begin, and cannot be signed any more', () => {
    const { when: _, ...later } = asking(PRO, null);
    const atEnd = active().goes(later);
    for (const made of [agreed(), agreed().goes({ ...DUE, charge: NO_WALLET }), atEnd]) {
      expect(made.send(TAKE_BACK)).toEqual(['unwatch migration']);
      expect([made.due, made.context.migration, made.context.deferred]).toEqual([MONTH.end, null, null]);
      expect([made.refuses(SIGNED), made.refuses(TAKE_BACK)]).toEqual([true, true]);
      expect(made.falls()).toEqual(['open 2.1']);
    }
  });

  it('is refused once it is being charged', () => {
    const made = agreed();
    opens(made);
    expect(made.refuses(TAKE_BACK)).toBe(true);
  });
});

/** A fraction of whole numbers, apart from the code under test. */
interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

const add = (one: Fraction, other: Fraction): Fraction => ({
  over: one.over * other.under + other.over * one.under,
  under: one.under * other.under,
});

const plan = fc.record({
  units: fc.integer({ min: 1_000_000, max: 99_999_999 }),
  unit: fc.constantFrom('day' as const, 'week' as const, 'month' as const, 'year' as const),
  count: fc.integer({ min: 1, max: 3 }),
  /** The part of the period that passes before the next change; 1: all of it. */
  part: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 0.999, noNaN: true })),
});

it('all charges together are the time used at its price, less than a base unit above it for each change', () => {
  fc.assert(
    fc.property(fc.array(plan, { minLength: 2, maxLength: 8 }), (plans) => {
      const made = active();
      let paid = BigInt(MONTHLY.amount);
      let used: Fraction = { over: 0n, under: 1n };
      let period = { ...periodAt(START, MONTHLY.interval, 0), worth: paid };
      let changes = 0n;
      for (const [index, { units, unit, count, part }] of plans.entries()) {
        const [from, to] = [Date.parse(period.start), Date.parse(period.end)];
        const now = new Date(from + Math.floor((to - from) * part)).toISOString();
        const terms = { ...MONTHLY, priceId: `price_${index + 2}`, amount: `${units}`, interval: { unit, count } };
        if (made.at(now).refuses(asking(terms))) continue;
        made.goes(asking(terms), SIGNED, SEEN);
        const worth = { amount: period.worth.toString(), paymentId: 'pay_1' };
        made.send({ ...ASKED, charge: { ready: true, paid: worth } });
        // The credit would have been the whole charge: the next period comes first.
        if (made.context.open === null) made.at(period.end).send(DUE);
        const charge = made.opened.at(-1);
        const end = made.context.open?.periodStart ?? '';
        made.settles();
        used = add(used, { over: period.worth * BigInt(Date.parse(end) - from), under: BigInt(to - from) });
        paid += BigInt(charge?.amount ?? 0);
        changes += 1n;
        period = { ...periodAt(end, terms.interval, 0), worth: BigInt(units) };
        expect(BigInt(charge?.amount ?? 0) > 0n && BigInt(charge?.amount ?? 0) <= BigInt(units)).toBe(true);
      }
      const total = add(used, { over: period.worth, under: 1n });
      const above = paid * total.under - total.over;
      expect(above >= 0n && above <= changes * total.under).toBe(true);
    }),
    { numRuns: 200 },
  );
});
