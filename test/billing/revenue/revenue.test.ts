import { spyOn } from 'jest-mock';
import { revenueOf } from '../../../src/billing/revenue/revenue.ts';
import { buildCatalog } from '../../../src/chains/catalog.ts';
import { openMemoryStore } from '../../../src/store/memory/store.ts';

const TENANT = { merchantId: 'mrc_1', mode: 'live' } as const;
const QUERY = { created: {}, unit: 'month', offerId: null } as const;

describe('recurring revenue', () => {
  it.each([
    ['fewer than 10,000 subscriptions is added up for each view', 9_999, [1, 2, 3]],
    ['10,000 subscriptions is given again for two seconds', 10_000, [1, 1, 2]],
  ])('of %s', async (_what, count, expected) => {
    const store = openMemoryStore();
    let [added, now] = [0, Date.parse('2026-01-31T10:00:00.000Z')];
    spyOn(store.actors, 'tally').mockImplementation(async (_kind, { period }) => {
      if (period !== null) return [];
      added += 1;
      return [{ by: [null, 'usdc-base', 'month', 1], start: null, count, sum: 1_000_000n }];
    });
    const deps = { store, catalog: buildCatalog(), clock: () => new Date(now) };
    const seen: number[] = [];
    for (const ms of [0, 1_999, 1]) {
      now += ms;
      const { recurring } = await revenueOf(deps, TENANT, QUERY);
      expect(recurring).toEqual([
        { offerId: null, tokenKey: 'usdc-base', subscriptions: count, monthlyAmount: '1.00' },
      ]);
      seen.push(added);
    }
    expect(seen).toEqual(expected);
    await revenueOf(deps, { ...TENANT, mode: 'test' }, QUERY);
    await revenueOf(deps, TENANT, { ...QUERY, offerId: 'offer_1' });
    expect(added - (seen.at(-1) ?? 0)).toBe(2);
  });
});
