import type { Chain } from '../../web/dashboard/merchant-api.ts';
import { byCurrency, retentionOf, startsUntil } from '../../web/dashboard/revenue/figures.ts';
import { cents, sumOf } from '../../web/ui/sum.ts';

const CHAINS: readonly Chain[] = [
  {
    ...{
      chainId: 8453,
      family: 'evm' as const,
      label: 'Base',
      testnet: false,
      playedBy: null,
      operator: null,
      enabled: true,
    },
    tokens: [
      { key: 'usdc-base', ticker: 'USDC', decimals: 6, address: null, mint: null, currency: 'USD' },
      { key: 'usdt-base', ticker: 'USDT', decimals: 6, address: null, mint: null, currency: 'USD' },
      { key: 'eurc-base', ticker: 'EURC', decimals: 6, address: null, mint: null, currency: null },
    ],
  },
];

describe('amounts', () => {
  it('are added up exactly', () => {
    expect(sumOf([])).toBe('0.00');
    expect(sumOf(['0.10', '0.20'])).toBe('0.30');
    expect(sumOf(['3', '4'])).toBe('7.00');
    expect(sumOf(['12345678901234567890.000001', '0.999999'])).toBe('12345678901234567891.000000');
  });

  it.each([
    ['9.801', '9.80'],
    ['9.805', '9.81'],
    ['0.999', '1.00'],
    ['0.004', '0.004'],
    ['0.00', '0.00'],
    ['12', '12.00'],
  ])('of a dollar coin: %s is shown as %s', (amount, shown) => {
    expect(cents(amount)).toBe(shown);
  });
});

describe('the time axis', () => {
  it('has every day and month up to the present one, also those in which nothing happened', () => {
    const now = Date.parse('2028-03-01T23:59:59.999Z');
    const days = startsUntil(now, 'day');
    expect([days.length, days[0], days[30]]).toEqual([31, '2028-01-31T00:00:00.000Z', '2028-03-01T00:00:00.000Z']);
    const months = startsUntil(Date.parse('2028-03-31T10:00:00.000Z'), 'month');
    expect([months.length, months[0], months[10]]).toEqual([
      ...[12, '2027-04-01T00:00:00.000Z', '2028-02-01T00:00:00.000Z'],
    ]);
  });
});

describe('figures', () => {
  it('of dollar coins belong together and come first; a token without a rate has its own', () => {
    const recurring = ['eurc-base', 'usdt-base', 'usdc-base'].map((tokenKey) => ({
      ...{ offerId: null, tokenKey, subscriptions: 1, monthlyAmount: '1.00' },
    }));
    const shown = byCurrency(CHAINS, { offers: [], recurring, periods: [] });
    expect(shown.map(({ currency, recurring: own }) => [currency, own.map(({ tokenKey }) => tokenKey)])).toEqual([
      ['USD', ['usdt-base', 'usdc-base']],
      ['EURC', ['eurc-base']],
    ]);
  });

  it('of retention are shares of the subscriptions or of their money, over all tokens of a currency', () => {
    const part = (subscriptions: number, monthlyAmount: string) => ({ subscriptions, monthlyAmount });
    const start = '2028-01-01T00:00:00.000Z';
    const cohorts = [
      { start, tokenKey: 'usdc-base', started: part(2, '30.00'), active: [part(2, '30.00'), part(1, '20.00')] },
      {
        start,
        tokenKey: 'usdt-base',
        started: part(1, '0.000001'),
        active: [part(1, '0.000001'), part(1, '0.000001')],
      },
      { start, tokenKey: 'eurc-base', started: part(1, '5.00'), active: [part(1, '5.00'), part(0, '0.00')] },
    ];
    expect(retentionOf(CHAINS, cohorts, null)).toEqual([
      {
        month: '2028-01',
        started: '4',
        months: [
          { left: '4', percent: 100 },
          { left: '2', percent: 50 },
        ],
      },
    ]);
    expect(retentionOf(CHAINS, cohorts, 'USD')).toEqual([
      {
        ...{ month: '2028-01', started: '30.000001' },
        months: [
          { left: '30.000001', percent: 100 },
          { left: '20.000001', percent: 66 },
        ],
      },
    ]);
    expect(retentionOf(CHAINS, cohorts, 'EURC')).toMatchObject([{ months: [{ percent: 100 }, { percent: 0 }] }]);
    expect(retentionOf(CHAINS, cohorts, 'GBP')).toEqual([]);
  });
});
