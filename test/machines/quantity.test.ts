import fc from 'fast-check';
import { capOf, type PriceModel } from '../../machines/rules/price-model.ts';
import { COVERED, coveredMigration, MONTHLY, REORGED, RESUME, TestSubscription } from './support/subscription.ts';
import { type Happening, happening } from './support/walk.ts';

const UNIT = 5_000_000;
const SEATS: PriceModel = {
  kind: 'per_unit',
  unitAmount: String(UNIT),
  quantity: 3,
  minQuantity: 2,
  maxQuantity: 10,
  quantityChangedBy: 'merchant',
};
const THREE = { amount: String(3 * UNIT), model: SEATS };

/** A subscription to three seats, whose payer has authorized it. */
function seats(): TestSubscription {
  return new TestSubscription({ terms: THREE }).goes(COVERED);
}

const wants = (quantity: number) => ({ type: 'quantity.requested', quantity }) as const;

describe('another quantity', () => {
  it('is charged from the next cycle on, and announced once', () => {
    const made = seats().goes('falls', 'settles');
    expect(made.send(wants(5))).toEqual(['subscription.quantity_changed']);
    expect(made.asked.at(-1)).toMatchObject({ data: { previousQuantity: 3, quantity: 5, priceId: 'price_1' } });
    expect(made.send(wants(5))).toEqual([]);
    made.falls();
    expect(made.asked.at(-1)).toMatchObject({ type: 'charge.open', cycle: 2, amount: String(5 * UNIT), quantity: 5 });
  });

  it('applies to the first cycle if it has not begun', () => {
    const made = new TestSubscription({ terms: THREE }).goes(wants(2), COVERED, 'falls');
    expect(made.asked.at(-1)).toMatchObject({ cycle: 1, amount: String(2 * UNIT), quantity: 2 });
  });

  it.each([1, 11])('is refused if it is %i, outside of what the price has', (quantity) => {
    expect(seats().goes('falls', 'settles').refuses(wants(quantity))).toBe(true);
  });

  it('is refused while a cycle is open, in flight or between attempts, and after the end', () => {
    const made = seats().goes('falls');
    expect(made.refuses(wants(5))).toBe(true);
    made.goes('fails');
    expect([made.stateName, made.refuses(wants(5))]).toEqual(['pending.dunning', true]);
    made.goes('settles', 'falls', 'fails');
    expect([made.stateName, made.refuses(wants(5))]).toEqual(['past_due.waiting', true]);
    made.goes('settles', { type: 'cancel.requested', atPeriodEnd: false, reason: 'requested' });
    expect(made.refuses(wants(5))).toBe(true);
  });

  it('is refused by a fixed price, and once the payer has agreed to another price', () => {
    expect(new TestSubscription().goes(COVERED, 'falls', 'settles').refuses(wants(5))).toBe(true);
    const moving = seats().goes('falls', 'settles');
    const migration = coveredMigration({ priceId: 'price_2' }, '0xpayer');
    moving.state = { ...moving.state, context: { ...moving.state.context, migration } };
    expect(moving.refuses(wants(5))).toBe(true);
  });
});

/** A check of the allowance for so many units. */
function seen(units: number, covers: boolean) {
  const about = { priceId: 'price_1', tokenKey: MONTHLY.tokenKey, wallet: '0xpayer', chainId: 31_337, block: null };
  const reading = { ...about, amount: String(units * UNIT) };
  return { type: 'allowance.seen', covers, payable: covers, reading } as const;
}

it('a reading of the allowance counts for the amount that it was made for', () => {
  const made = seats().goes('falls', 'settles', wants(10));
  expect(made.refuses(seen(3, false))).toBe(true);
  made.send(seen(10, false));
  expect(made.context.allowanceConfirmed).toBe(false);
});

it('a reading counts for the amount of a paid cycle that a reorg removes, until that is paid again', () => {
  const made = seats().goes('falls', 'settles', wants(2));
  made.goes({ ...REORGED, owed: { tokenKey: MONTHLY.tokenKey, amount: THREE.amount } }, 'falls', 'fails');
  made.send(seen(3, false));
  expect(made.context.allowanceConfirmed).toBe(false);
  // Two units would be covered, and an attempt at three would fail once more.
  expect(made.refuses(seen(2, true))).toBe(true);
  made.at('2026-02-02T10:00:00.000Z').send(seen(3, true));
  expect(made.context).toMatchObject({ allowanceConfirmed: true, wakeAt: '2026-02-02T10:00:00.000Z' });
  made.goes('falls', 'settles');
  expect([made.refuses(seen(3, false)), made.refuses(seen(2, false))]).toEqual([true, false]);
});

const step = fc.oneof(
  { weight: 8, arbitrary: happening.map((what): Happening | number => what) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 12 }) },
);

it('each cycle is charged for the quantity that held when it opened, and never above what was signed', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }), (steps) => {
      const made = seats().goes(RESUME);
      let held = 3;
      for (const each of steps) {
        const event = typeof each === 'number' ? wants(each) : each.event(made, made.opened);
        if (event === null || made.refuses(event)) continue;
        const before = made.opened.length;
        const { open } = made.context;
        made.send(event);
        if (typeof each === 'number' && each !== held) {
          expect(open).toBeNull();
          held = each;
        }
        for (const effect of made.opened.slice(before)) {
          if (effect.attempt > 1) continue;
          expect(effect).toMatchObject({ quantity: held, amount: String(held * UNIT) });
          expect(BigInt(effect.amount) <= capOf(THREE)).toBe(true);
        }
      }
    }),
    { numRuns: 100 },
  );
});
