import fc from 'fast-check';
import { afterCycle, type Discount, discountOn, lessDiscount } from '../../machines/rules/discount.ts';
import type { Metered } from '../../machines/rules/price-model.ts';
import { unusedDiscount } from '../../machines/subscription/discount.ts';
import {
  CANCEL,
  COVERED,
  coveredMigration,
  MONTHLY,
  NO_WALLET,
  REORGED,
  TestSubscription,
} from './support/subscription.ts';
import { happening } from './support/walk.ts';

const PRICE = 9_900_000n;
const percent = (bps: number, cyclesLeft: number | null): Discount => ({
  ...{ couponId: 'cpn_1', code: 'WELCOME', cyclesLeft },
  off: { kind: 'percent', bps },
});
const amount = (units: bigint, cyclesLeft: number | null, tokenKey = MONTHLY.tokenKey): Discount => ({
  ...percent(1, cyclesLeft),
  off: { kind: 'amount', tokenKey, amount: String(units), shown: '1.00' },
});

const wants = (discount: Discount | null) => ({ type: 'discount.requested', discount }) as const;

function discounted(discount: Discount, terms = {}): TestSubscription {
  return new TestSubscription({ terms }).goes(wants(discount), COVERED);
}

const last = ({ opened }: TestSubscription) => opened.at(-1);

/** The amounts of all first attempts. */
function amountsOf({ opened }: TestSubscription): bigint[] {
  return opened.flatMap(({ attempt, amount }) => (attempt === 1 ? BigInt(amount) : []));
}

describe('a discount on a price', () => {
  it.each([
    // discount, price, off
    [percent(2_500, 3), 9_900_000n, 2_475_000n],
    [percent(3_333, null), 10n, 3n],
    [percent(1, null), 9_999n, 0n],
    [percent(10_000, 1), 7n, 7n],
    [percent(2_500, 0), 9_900_000n, 0n],
    [amount(5n, 1), 9n, 5n],
    [amount(10n, null), 9n, 9n],
    [amount(5n, 1, 'another'), 9n, 0n],
  ])('%j of %d is rounded down, and no more than the price: %d', (of, price, off) => {
    expect(discountOn(of, { tokenKey: MONTHLY.tokenKey, amount: String(price) })).toBe(off);
  });

  it('is for so many cycles, or for all', () => {
    expect([2, 1, 0, null].map((left) => afterCycle(percent(1, left)).cyclesLeft)).toEqual([1, 0, 0, null]);
  });
});

describe('a subscription with a discount', () => {
  it('is charged less for exactly its cycles, and says so', () => {
    const made = discounted(percent(2_500, 2)).goes('falls');
    expect(last(made)).toMatchObject({
      amount: '7425000',
      discount: { coupon: 'cpn_1', code: 'WELCOME', amount: '2475000' },
    });
    made.goes('settles', 'falls', 'settles', 'falls');
    expect(amountsOf(made)).toEqual([7_425_000n, 7_425_000n, PRICE]);
    expect(last(made)).not.toHaveProperty('discount');
  });

  it('has it for a cycle that is tried again, once', () => {
    const made = discounted(percent(2_500, 1)).goes('falls', 'fails', 'falls');
    expect(last(made)).toMatchObject({ attempt: 2, amount: '7425000' });
    made.goes('settles', 'falls');
    expect(amountsOf(made)).toEqual([7_425_000n, PRICE]);
  });

  it('owes a cycle that a reorg removes with its own amount, and does not count it twice', () => {
    const made = discounted(percent(2_500, 2)).goes('falls', 'settles');
    made.goes({ ...REORGED, owed: { tokenKey: MONTHLY.tokenKey, amount: '7425000' } }, 'falls');
    expect(last(made)).toMatchObject({ cycle: 1, amount: '7425000' });
    made.goes('settles', 'falls', 'settles', 'falls');
    expect(amountsOf(made)).toEqual([7_425_000n, 7_425_000n, PRICE]);
  });

  it('has it off the use of a period, within the cap', () => {
    const model: Metered = {
      ...{ kind: 'metered', capAmount: '1000', aboveCap: 'carry' },
      tiers: [{ above: 0, unitAmount: '10' }],
    };
    const made = discounted(percent(5_000, null), { amount: '1000', model });
    made.falls({ ready: true, used: 40 });
    made.goes('settles').falls({ ready: true, used: 540 });
    expect(amountsOf(made)).toEqual([200n, 500n]);
  });

  it('keeps its open cycle: the discount changes only between cycles', () => {
    const made = discounted(percent(2_500, null)).goes('falls');
    expect(made.refuses(wants(null))).toBe(true);
    made.goes('settles', wants(null), 'falls');
    expect(amountsOf(made)).toEqual([7_425_000n, PRICE]);
  });

  it('has it at a change at once too, before the credit', () => {
    const made = discounted(percent(5_000, null)).goes('falls', 'settles');
    const migration = {
      ...coveredMigration({ priceId: 'price_2', amount: '20000000' }, '0xpayer'),
      when: 'now',
    } as const;
    const change = { ...migration, proration: 'credit', authorizedAt: made.now } as const;
    made.state = { ...made.state, context: { ...made.state.context, migration: change } };
    const paid = { amount: '4950000', paymentId: 'pay_1' };
    made.send({ type: 'cycle.due', asked: false, charge: { ready: true, paid } });
    expect(last(made)).toMatchObject({
      ...{ amount: String(10_000_000 - 4_950_000), discount: { amount: '10000000' } },
      credit: { amount: '4950000' },
    });
  });
});

describe('a discount of the whole price', () => {
  it('makes free periods, which count and need nothing; then the price is charged', () => {
    const made = discounted(percent(10_000, 2), { maxCycles: 3 });
    expect(made.falls(NO_WALLET)).toEqual(['subscription.trialing']);
    expect(made.context).toMatchObject({ cyclesCompleted: 1, trialEnd: '2026-02-28T10:00:00.000Z', open: null });
    made.goes('falls');
    expect([made.stateName, made.context.discount?.cyclesLeft]).toEqual(['pending.waiting', 0]);
    made.goes('falls', 'settles');
    expect(amountsOf(made)).toEqual([PRICE]);
    made.goes('falls');
    expect(made.context.ended?.reason).toBe('max_cycles_reached');
  });

  it('ends after the last cycle of the terms, also if none was charged', () => {
    const made = discounted(amount(PRICE, null), { maxCycles: 2 }).goes('falls', 'falls', 'falls');
    expect([made.context.ended?.reason, amountsOf(made)]).toEqual(['max_cycles_reached', []]);
  });

  it('passes a period of a paid subscription, and begins the terms that wait for it', () => {
    const made = new TestSubscription().goes(COVERED, 'falls', 'settles', wants(percent(10_000, 1)));
    const migration = coveredMigration({ priceId: 'price_2', amount: '20000000' }, '0xpayer');
    made.state = { ...made.state, context: { ...made.state.context, migration } };
    expect(made.falls()).toEqual(['subscription.migrated', 'unwatch migration']);
    expect(made.context).toMatchObject({ cyclesCompleted: 2, terms: { priceId: 'price_2' }, migration: null });
    made.goes('falls');
    expect(amountsOf(made)).toEqual([PRICE, 20_000_000n]);
  });

  it('needs an allowance for the price that follows', () => {
    const reading = { priceId: 'price_1', tokenKey: MONTHLY.tokenKey, wallet: '0xpayer', chainId: 31_337, block: null };
    const made = new TestSubscription().goes(wants(percent(10_000, 1)));
    const seen = (units: bigint) => ({ ...COVERED, reading: { ...reading, amount: String(units) } });
    expect([made.refuses(seen(0n)), made.refuses(seen(PRICE))]).toEqual([true, false]);
  });
});

describe('the redemption of a subscription that ends', () => {
  const unused = (made: TestSubscription) => unusedDiscount(made.context)?.couponId ?? null;

  it('is given back if nothing was paid and no free period has passed', () => {
    expect(unused(discounted(percent(2_500, 1)).goes(CANCEL))).toBe('cpn_1');
    expect(unused(discounted(percent(2_500, 1)).goes('falls', 'fails', CANCEL))).toBe('cpn_1');
  });

  it('stays otherwise, and while a charge is followed to its end', () => {
    expect(unused(discounted(percent(2_500, 1)))).toBeNull();
    expect(unused(discounted(percent(2_500, 1)).goes('falls', 'settles', CANCEL))).toBeNull();
    expect(unused(discounted(percent(10_000, 1)).goes('falls', CANCEL))).toBeNull();
    const closing = discounted(percent(2_500, 1)).goes('falls', CANCEL);
    expect(unused(closing)).toBeNull();
    expect(unused(closing.goes('settles'))).toBeNull();
  });
});

it('every charge is the price less the discount, for exactly its cycles, whatever happens', () => {
  const discounts = fc.tuple(fc.integer({ min: 1, max: 9_999 }), fc.integer({ min: 1, max: 4 }));
  const steps = fc.array(happening, { minLength: 10, maxLength: 60, size: 'max' });
  fc.assert(
    fc.property(discounts, steps, ([bps, cycles], walk) => {
      const made = discounted(percent(bps, cycles));
      const less = lessDiscount(percent(bps, null), MONTHLY);
      for (const step of walk) {
        const event = step.event(made, made.opened);
        if (event === null || made.refuses(event)) continue;
        const left = made.context.discount?.cyclesLeft ?? 0;
        const before = made.opened.length;
        made.send(event);
        for (const { attempt, amount, priceId } of made.opened.slice(before)) {
          if (attempt > 1 || priceId !== MONTHLY.priceId) continue;
          expect(BigInt(amount)).toBe(left > 0 ? less : PRICE);
        }
      }
      const had = new Set(made.opened.flatMap(({ discount, cycle }) => (discount ? cycle : [])));
      expect(cycles - (made.context.discount?.cyclesLeft ?? 0)).toBeLessThanOrEqual(had.size);
    }),
    { numRuns: 100 },
  );
});
