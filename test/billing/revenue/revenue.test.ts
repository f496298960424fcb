import { spyOn } from 'jest-mock';
import { revenueOf } from '../../../src/billing/revenue/revenue.ts';
import { buildCatalog } from '../../../src/chains/catalog.ts';
import { openMemoryStore } from '../../../src/store/memory/store.ts';

const TENANT = { merchantId: 'mrc_1', mode: 'live' } as const;
const QUERY = { created: {}, unit: 'month', offerId: null } as const;

describe('revenue', () => {
  it.each([
    ['fewer than 10,000 documents is added up for each view', 9_999, [7, 14, 21]],
    ['10,000 documents is given again for two seconds', 10_000, [7, 7, 14]],
  ])('of %s', async (_what, count, expected) => {
    const store = openMemoryStore();
    let [added, now] = [0, Date.parse('2026-01-31T10:00:00.000Z')];
    spyOn(store.actors, 'tally').mockImplementation(async (_kind, { period }) => {
      added += 1;
      const start = period === null ? null : new Date('2026-01-01T00:00:00.000Z');
      return [{ by: [null, 'usdc-base', 'month', 1], start, count, sum: 1_000_000n }];
    });
    const deps = { store, catalog: buildCatalog(), clock: () => new Date(now) };
    const seen: number[] = [];
    for (const ms of [0, 1_999, 1]) {
      now += ms;
      const { recurring, periods } = await revenueOf(deps, TENANT, QUERY);
      expect(recurring).toEqual([
        { offerId: null, tokenKey: 'usdc-base', subscriptions: count, monthlyAmount: '1.00' },
      ]);
      const total = { count, amount: '1.00' };
      expect(periods).toMatchObject([{ settled: total, recovered: total, failed: total, newSubscriptions: count }]);
      seen.push(added);
    }
    expect(seen).toEqual(expected);
    await revenueOf(deps, { ...TENANT, mode: 'test' }, QUERY);
    await revenueOf(deps, TENANT, { ...QUERY, offerId: 'offer_1' });
    expect(added - (seen.at(-1) ?? 0)).toBe(14);
  });

  it('keeps 100,000 groups at most, whatever ranges somebody names', async () => {
    const store = openMemoryStore();
    const group = { by: [null, 'usdc-base', 'month', 1], start: null, count: 1, sum: 1n };
    const tally = spyOn(store.actors, 'tally').mockResolvedValue(Array.from({ length: 10_000 }, () => group));
    const deps = { store, catalog: buildCatalog(), clock: () => new Date(0) };
    const view = (day: number) => revenueOf(deps, TENANT, { ...QUERY, created: { gte: new Date(day) } });
    for (const day of [0, 0, 1, 2]) await view(day);
    const before = tally.mock.calls.length;
    await view(0);
    expect(tally.mock.calls.length).toBeGreaterThan(before);
  });
});
