import { spyOn } from 'jest-mock';
import { cohortsOf } from '../../../src/billing/revenue/revenue.ts';
import { buildCatalog } from '../../../src/chains/catalog.ts';
import { openMemoryStore } from '../../../src/store/memory/store.ts';
import { actor, insertActors } from '../../store/support/documents.ts';

const TENANT = { merchantId: 'mrc_1', mode: 'live' } as const;
const NOW = new Date('2026-03-15T10:00:00.000Z');
const QUERY = { now: NOW, offerId: null };
const MONTHLY = { unit: 'month', count: 1 } as const;

interface Wish {
  readonly began: string;
  readonly ended?: string;
  readonly amount?: string;
  readonly interval?: { readonly unit: 'month' | 'year'; readonly count: number };
  readonly tokenKey?: string;
  readonly offerId?: string;
  readonly isPaid?: boolean;
}

function subscription({
  began,
  ended,
  amount = '10000000',
  interval = MONTHLY,
  tokenKey = 'usdc-base',
  offerId = 'offer_1',
  isPaid = true,
}: Wish) {
  const end = ended === undefined ? null : { reason: 'requested', at: ended, lastFailed: null };
  return actor({
    ...TENANT,
    createdAt: new Date(began),
    attributes: { offerId },
    status: end === null ? 'active' : 'canceled',
    context: { terms: { tokenKey, interval, amount }, currentPeriodEnd: isPaid ? began : null, ended: end },
  });
}

async function storeWith(...wishes: readonly Wish[]) {
  const store = openMemoryStore();
  await insertActors(store, wishes.map(subscription));
  return { store, catalog: buildCatalog(), clock: () => NOW };
}

const part = (subscriptions: number, monthlyAmount: string) => ({ subscriptions, monthlyAmount });

describe('the cohorts of subscriptions', () => {
  it('have those that began in a month, and those left at the end of each month since', async () => {
    const deps = await storeWith(
      { began: '2026-01-01T00:00:00.000Z' },
      { began: '2026-01-31T23:59:59.999Z', amount: '5000000', ended: '2026-01-31T23:59:59.999Z' },
      {
        began: '2026-01-10T00:00:00.000Z',
        amount: '120000000',
        interval: { unit: 'year', count: 1 },
        ended: '2026-02-01T00:00:00.000Z',
      },
      { began: '2026-01-10T00:00:00.000Z', isPaid: false },
      { began: '2026-01-10T00:00:00.000Z', tokenKey: 'usdt-ethereum', ended: '2026-03-10T00:00:00.000Z' },
      { began: '2026-03-01T00:00:00.000Z' },
      { began: '2025-03-31T23:59:59.999Z' },
    );
    expect(await cohortsOf(deps, TENANT, QUERY)).toEqual([
      {
        start: new Date('2026-01-01T00:00:00.000Z'),
        tokenKey: 'usdc-base',
        started: part(3, '25.00'),
        active: [part(2, '20.00'), part(1, '10.00'), part(1, '10.00')],
      },
      {
        start: new Date('2026-01-01T00:00:00.000Z'),
        tokenKey: 'usdt-ethereum',
        started: part(1, '10.00'),
        active: [part(1, '10.00'), part(1, '10.00'), part(0, '0.00')],
      },
      {
        start: new Date('2026-03-01T00:00:00.000Z'),
        tokenKey: 'usdc-base',
        started: part(1, '10.00'),
        active: [part(1, '10.00')],
      },
    ]);
    expect(await cohortsOf(deps, { ...TENANT, mode: 'test' }, QUERY)).toEqual([]);
    expect(await cohortsOf(deps, TENANT, { ...QUERY, offerId: 'offer_2' })).toEqual([]);
  });

  it('begin with the month eleven months ago', async () => {
    const deps = await storeWith({ began: '2025-03-31T23:59:59.999Z' }, { began: '2025-04-01T00:00:00.000Z' });
    const cohorts = await cohortsOf(deps, TENANT, QUERY);
    expect(cohorts.map(({ start, active }) => [start.toISOString(), active.length])).toEqual([
      ['2025-04-01T00:00:00.000Z', 12],
    ]);
  });

  it('of 10,000 subscriptions are added up once in two seconds, each month by itself', async () => {
    const deps = await storeWith();
    const tally = spyOn(deps.store.actors, 'tally').mockResolvedValue([
      { by: ['usdc-base', 'month', 1, null], start: null, count: 10_000, sum: 1_000_000n },
    ]);
    let now = NOW.getTime();
    const kept = { ...deps, clock: () => new Date(now) };
    for (const [ms, expected] of [
      [0, 12],
      [1_999, 12],
      [1, 24],
    ] as const) {
      now += ms;
      await cohortsOf(kept, TENANT, QUERY);
      expect(tally.mock.calls.length).toBe(expected);
    }
  });
});
