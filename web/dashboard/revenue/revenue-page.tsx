import { decimal, money } from '../../ui/decimal.ts';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { queryOf } from '../../ui/own-api.ts';
import { Panel } from '../../ui/panel.tsx';
import { Select } from '../../ui/select.tsx';
import { Table } from '../../ui/table.tsx';
import { useLoad } from '../dashboard-api.ts';
import type { Offers, Period, Revenue } from '../merchant-api.ts';
import { go, hrefOf, type Route } from '../route.ts';
import { PageTitle } from '../shared/page-title.tsx';
import { type Bar, RevenueChart } from './revenue-chart.tsx';

/** The most offers whose names are loaded at once; others are shown by id. */
const NAMES_MAX = '100';

/** Recurring revenue, and what happened by day or month: the figures of GET /revenue, as charts with their tables. */
export function RevenuePage({ route: { mode, query } }: { readonly route: Route }) {
  const interval = query.get('interval') === 'month' ? 'month' : 'day';
  const offerId = query.get('offerId');
  const loaded = useLoad<Revenue>(`/${mode}/revenue${queryOf({ interval, offerId })}`);
  const offers = useLoad<Offers>(`/${mode}/offers?limit=${NAMES_MAX}`);
  const names = new Map(offers.value?.offers.map(({ id, name }) => [id, name]));
  const nameOf = (id: string | null) => (id === null ? 'Direct charges' : (names.get(id) ?? id));
  const show = (change: { readonly interval?: string; readonly offerId?: string }) =>
    go(hrefOf(mode, 'revenue', null, { interval, offerId: offerId ?? '', ...change }));
  return (
    <>
      <PageTitle title="Revenue" />
      <div class="row">
        <Select
          label="Period"
          value={interval}
          onChange={(value) => show({ interval: value })}
          options={[
            ['day', 'By day, the last 30'],
            ['month', 'By month, the last year'],
          ]}
        />
        <Select
          label="Offer"
          value={offerId ?? ''}
          onChange={(value) => show({ offerId: value })}
          options={[['', 'All offers'], ...[...names].map(([id, name]) => [id, name] as const)]}
        />
      </div>
      <WhenLoaded loaded={loaded}>
        {(revenue) => <Figures revenue={revenue} nameOf={nameOf} interval={interval} />}
      </WhenLoaded>
    </>
  );
}

interface FiguresProps {
  readonly revenue: Revenue;
  readonly nameOf: (offerId: string | null) => string;
  readonly interval: 'day' | 'month';
}

function Figures({ revenue: { recurring, periods }, nameOf, interval }: FiguresProps) {
  const tokens = [...new Set(periods.map(({ tokenKey }) => tokenKey))].sort();
  return (
    <>
      <Panel title="Monthly recurring revenue">
        <Table
          caption="Monthly recurring revenue by offer and token"
          rows={recurring}
          keyOf={({ offerId, tokenKey }) => `${offerId} ${tokenKey}`}
          columns={[
            { title: 'Offer', cell: ({ offerId }) => nameOf(offerId) },
            { title: 'Token', cell: ({ tokenKey }) => tokenKey },
            { title: 'Subscriptions', cell: ({ subscriptions }) => subscriptions, isNumber: true },
            { title: 'A month', cell: ({ monthlyAmount }) => decimal(monthlyAmount), isNumber: true },
          ]}
          empty="No subscription is active. The first settled charge of a subscription makes it active."
        />
      </Panel>
      {tokens.map((tokenKey) => (
        <Token
          key={tokenKey}
          {...{ tokenKey, nameOf, interval }}
          periods={periods.filter((each) => each.tokenKey === tokenKey)}
        />
      ))}
      {tokens.length === 0 && <p class="soft">Nothing was charged in this time.</p>}
    </>
  );
}

interface TokenProps {
  readonly tokenKey: string;
  readonly periods: readonly Period[];
  readonly nameOf: FiguresProps['nameOf'];
  readonly interval: FiguresProps['interval'];
}

function Token({ tokenKey, periods, nameOf, interval }: TokenProps) {
  const dayOf = (start: string) => start.slice(0, interval === 'day' ? 10 : 7);
  const starts = everyStart(periods, interval);
  const barsOf = (low: (period: Period) => number, high: (period: Period) => number): Bar[] =>
    starts.map((start) => {
      const its = periods.filter((each) => each.start === start);
      const sum = (of: (period: Period) => number) => its.reduce((total, period) => total + of(period), 0);
      return { label: dayOf(start), low: sum(low), high: sum(high) };
    });
  return (
    <Panel title={tokenKey}>
      <div class="chart-pair">
        <RevenueChart
          title="Payments"
          bars={barsOf(
            ({ settled }) => settled.count,
            ({ failed }) => failed.count,
          )}
          names={['settled', 'failed']}
        />
        <RevenueChart
          title="Subscriptions"
          bars={barsOf(
            ({ newSubscriptions }) => newSubscriptions,
            ({ endedSubscriptions }) => endedSubscriptions,
          )}
          names={['new', 'ended']}
        />
      </div>
      <Table
        caption={`Revenue in ${tokenKey} by ${interval} and offer`}
        rows={[...periods].reverse()}
        keyOf={({ start, offerId }) => `${start} ${offerId}`}
        columns={[
          { title: interval === 'day' ? 'Day (UTC)' : 'Month (UTC)', cell: ({ start }) => dayOf(start) },
          { title: 'Offer', cell: ({ offerId }) => nameOf(offerId) },
          { title: 'Settled', cell: ({ settled }) => countAndAmount(settled), isNumber: true },
          { title: 'Recovered', cell: ({ recovered }) => countAndAmount(recovered), isNumber: true },
          { title: 'Failed', cell: ({ failed }) => countAndAmount(failed), isNumber: true },
          { title: 'New', cell: ({ newSubscriptions }) => newSubscriptions, isNumber: true },
          { title: 'Ended', cell: ({ endedSubscriptions }) => endedSubscriptions, isNumber: true },
        ]}
      />
    </Panel>
  );
}

/**
 * Also the periods between the first and the last in which nothing happened, so that the position of a bar shows its
 * time.
 */
function everyStart(periods: readonly Period[], interval: FiguresProps['interval']): string[] {
  const starts = periods.map(({ start }) => start).sort();
  const last = starts.at(-1) ?? '';
  const found: string[] = [];
  for (let start = starts[0]; start !== undefined && start <= last; start = nextStart(start, interval)) {
    found.push(start);
  }
  return found;
}

function nextStart(start: string, interval: FiguresProps['interval']): string {
  const date = new Date(start);
  if (interval === 'day') date.setUTCDate(date.getUTCDate() + 1);
  else date.setUTCMonth(date.getUTCMonth() + 1);
  return date.toISOString();
}

/** "9.90 (2 payments)"; a dash for none. */
function countAndAmount({ count, amount }: Period['settled']): string {
  if (count === 0) return '–';
  return money(amount, count === 1 ? '(1 payment)' : `(${count} payments)`);
}
