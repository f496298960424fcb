import { monthlyUnits } from '../../../src/billing/revenue/monthly.ts';

describe('what a charge makes in a month', () => {
  it.each([
    [9_900_000n, { unit: 'month', count: 1 }, 9_900_000n],
    [9_900_000n, { unit: 'month', count: 3 }, 3_300_000n],
    [90_000_000n, { unit: 'year', count: 1 }, 7_500_000n],
    [90_000_000n, { unit: 'year', count: 2 }, 3_750_000n],
    // 365 / 84 weeks and 365 / 12 days in a month.
    [84n, { unit: 'week', count: 1 }, 365n],
    [12n, { unit: 'day', count: 1 }, 365n],
    [1n, { unit: 'month', count: 2 }, 1n],
    [1n, { unit: 'month', count: 3 }, 0n],
    [10n ** 30n, { unit: 'year', count: 1 }, (10n ** 30n + 6n) / 12n],
  ] as const)('%s units every %o make %s', (units, interval, expected) => {
    expect(monthlyUnits(units, interval)).toBe(expected);
  });

  it('is nothing for a price by use, of which only the cap is known', () => {
    expect(monthlyUnits(50_000_000n, { unit: 'month', count: 1 }, 'metered')).toBe(0n);
  });
});
