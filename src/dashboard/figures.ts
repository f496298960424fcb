import type { Revenue } from '../billing/revenue/revenue.ts';
import { formatAmount, parseDecimal } from '../model/amounts.ts';
import type { Figure } from './wire.ts';

/** The figures of a period: its money, and how many subscriptions and payments came, ended and failed. */
export function figuresOf(
  { recurring, periods }: Pick<Revenue, 'recurring' | 'periods'>,
  atRisk: { readonly [A in 'approval_missing' | 'balance_missing']: number },
  tickerOf: (tokenKey: string) => string,
): Figure[] {
  const count = (of: (period: Revenue['periods'][number]) => number) =>
    periods.reduce((sum, period) => sum + of(period), 0);
  const paid = periods.map(({ tokenKey, settled: { amount } }) => ({ ticker: tickerOf(tokenKey), amount }));
  const monthly = recurring.map(({ tokenKey, monthlyAmount }) => ({
    ticker: tickerOf(tokenKey),
    amount: monthlyAmount,
  }));
  const settled = count((period) => period.settled.count);
  const live = recurring.reduce((sum, { subscriptions }) => sum + subscriptions, 0);
  const failed = count((period) => period.failed.count);
  return [
    figure('Paid, before fees', settled, { page: 'payments', query: { status: 'settled' }, amounts: sumsOf(paid) }),
    figure('Recurring, a month', live, { page: 'revenue', query: {}, amounts: sumsOf(monthly) }),
    figure(
      'New subscriptions',
      count(({ newSubscriptions }) => newSubscriptions),
      {
        ...{ page: 'subscriptions', query: {} },
      },
    ),
    figure(
      'Ended subscriptions',
      count(({ endedSubscriptions }) => endedSubscriptions),
      {
        ...{ page: 'subscriptions', query: { status: 'canceled' } },
      },
    ),
    figure('Failed payments', failed, { page: 'payments', query: { status: 'failed' }, isBad: failed > 0 }),
    ...(['approval_missing', 'balance_missing'] as const).map((attention) =>
      figure(`At risk: ${attention.replace('_', ' ')}`, atRisk[attention], {
        ...{ page: 'subscriptions', query: { attention }, isBad: atRisk[attention] > 0 },
      }),
    ),
  ];
}

type Where = Pick<Figure, 'page' | 'query'> & Partial<Pick<Figure, 'amounts' | 'isBad'>>;

function figure(name: string, count: number, { amounts = null, isBad = false, ...link }: Where): Figure {
  return { name, count, amounts, isBad, ...link };
}

interface Money {
  readonly ticker: string;
  readonly amount: string;
}

/** More than any token has. */
const DECIMALS = 30;

/** By ticker: a token on two chains is one currency for a shop. */
function sumsOf(parts: readonly Money[]): Money[] {
  const sums = new Map<string, bigint>();
  for (const { ticker, amount } of parts) {
    const { digits, scale } = parseDecimal(amount, 'amount');
    sums.set(ticker, (sums.get(ticker) ?? 0n) + digits * 10n ** BigInt(DECIMALS - scale));
  }
  return [...sums]
    .map(([ticker, sum]) => ({ ticker, amount: formatAmount(sum, DECIMALS) }))
    .sort((one, other) => one.ticker.localeCompare(other.ticker, 'en'));
}
