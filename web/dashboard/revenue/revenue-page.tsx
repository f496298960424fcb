import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { serviceNow } from '../../ui/api.ts';
import { type Bar, BarChart } from '../../ui/bar-chart.tsx';
import { Clipped } from '../../ui/clipped.tsx';
import { decimal, money } from '../../ui/decimal.ts';
import { Select } from '../../ui/field.tsx';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { queryOf } from '../../ui/own-api.ts';
import { Panel } from '../../ui/panel.tsx';
import { cents, sumOf } from '../../ui/sum.ts';
import { type Columns, KeyedTable } from '../../ui/table.tsx';
import { useLoad } from '../dashboard-api.ts';
import type { Chain, Cohorts, Period, Revenue } from '../merchant-api.ts';
import { useOffers } from '../offers/use-offers.ts';
import { go, hrefOf, type Mode, type Route } from '../route.ts';
import { Amount } from '../shared/amount.tsx';
import { currencyOf, tokenText } from '../shared/currencies.ts';
import { PageTitle } from '../shared/page-title.tsx';
import { useChains } from '../shared/use-chains.ts';
import {
  byCurrency,
  dateText,
  type InCurrency,
  type Interval,
  type Retention,
  retentionOf,
  startsUntil,
} from './figures.ts';

/** Recurring revenue, what happened by day or month, and retention: the figures of GET /revenue and its cohorts. */
export function RevenuePage({ route: { mode, query } }: { readonly route: Route }) {
  const interval = query.get('interval') === 'month' ? 'month' : 'day';
  const offerId = query.get('offerId') ?? '';
  const starts = startsUntil(serviceNow(), interval);
  const loaded = useLoad<Revenue>(
    `/${mode}/revenue${queryOf({ interval, offerId, 'created[gte]': starts[0] ?? null })}`,
  );
  const chains = useChains(mode);
  const all = useOffers(mode);
  const named = [...(all ?? []), ...(loaded.value?.offers ?? [])];
  const names = new Map(named.map(({ id, name }) => [id, name]));
  const hrefWith = (change: { readonly interval?: string; readonly offerId?: string }) =>
    hrefOf(mode, 'revenue', null, { interval, offerId, ...change });
  const nameOf = (id: string | null) =>
    id === null ? 'Direct charges' : <Clipped text={names.get(id) ?? id} href={hrefWith({ offerId: id })} />;
  const chosen = offerId === '' || names.has(offerId) ? [] : [[offerId, all === null ? 'Loading…' : offerId] as const];
  return (
    <>
      <div class="spread">
        <PageTitle title="Revenue" />
        <a href={hrefOf(mode, 'revenue', new Date(serviceNow()).toISOString().slice(0, 7))}>
          A month for the accountant
        </a>
      </div>
      <div class="grid">
        <Select
          label="Period"
          value={interval}
          onChange={(value) => go(hrefWith({ interval: value }))}
          options={Object.entries({ day: 'Last 31 days', month: 'Last 12 months' })}
        />
        <Select
          label="Offer"
          value={offerId}
          onChange={(value) => go(hrefWith({ offerId: value }))}
          options={[['', 'All offers'], ...chosen, ...names]}
        />
      </div>
      <p class="small soft">
        Days and months are of UTC. USDC and USDT count as one US dollar each, without an exchange rate. Another token
        has its own figures.
      </p>
      <WhenLoaded loaded={loaded}>
        {(revenue) =>
          chains.length > 0 && (
            <>
              <Figures {...{ revenue, chains, nameOf, interval, starts }} />
              <RetentionPanel {...{ mode, offerId, chains }} />
            </>
          )
        }
      </WhenLoaded>
    </>
  );
}

interface Shown {
  readonly chains: readonly Chain[];
  readonly nameOf: (offerId: string | null) => ComponentChildren;
  readonly interval: Interval;
  readonly starts: readonly string[];
}

function Figures({ revenue, ...shown }: Shown & { readonly revenue: Revenue }) {
  const all = byCurrency(shown.chains, revenue);
  if (all.length === 0)
    return (
      <p class="soft">Nothing was charged in this time. The first settled charge of a subscription makes it active.</p>
    );
  return (
    <>
      {all.map((each) => (
        <div class="stack" key={each.currency}>
          <Recurring {...shown} {...each} />
          <Periods {...shown} {...each} />
        </div>
      ))}
    </>
  );
}

function Recurring({ currency, recurring, chains, nameOf }: Shown & InCurrency) {
  const total = sumOf(recurring.map(({ monthlyAmount }) => monthlyAmount));
  return (
    <Panel
      title={`Monthly recurring revenue in ${currency}`}
      beside={
        <strong>
          <Amount amount={total} currency={currency} />
        </strong>
      }
    >
      <KeyedTable
        isFolding
        caption={`Monthly recurring revenue in ${currency} by offer and token`}
        rows={recurring}
        keyOf={({ offerId, tokenKey }) => `${offerId} ${tokenKey}`}
        columns={{
          Offer: ({ offerId }) => nameOf(offerId),
          Token: ({ tokenKey }) => tokenText(chains, tokenKey),
          Subscriptions: { number: ({ subscriptions }) => decimal(`${subscriptions}`) },
          'A month': { number: ({ monthlyAmount }) => <Amount amount={monthlyAmount} currency={currency} /> },
        }}
        empty="No subscription is active. The first settled charge of a subscription makes it active."
      />
    </Panel>
  );
}

function Periods({ currency, periods, chains, nameOf, interval, starts }: Shown & InCurrency) {
  const barsOf = (low: (period: Period) => string, high: (period: Period) => string): Bar[] =>
    starts.map((start) => {
      const its = periods.filter((each) => each.start === start);
      return { start, low: sumOf(its.map(low)), high: sumOf(its.map(high)) };
    });
  const column = interval === 'day' ? 'Day' : 'Month';
  const time = { column, startText: (start: string) => dateText(start, interval) };
  const counted = (of: (period: Period) => Period['settled']) => (period: Period) => (
    <CountAndAmount {...of(period)} currency={currency} />
  );
  return (
    <Panel
      title={`Settled in ${currency}`}
      beside={
        <strong>
          <Amount amount={sumOf(periods.map(({ settled }) => settled.amount))} currency={currency} />
        </strong>
      }
    >
      <div class="grid-wide">
        <BarChart
          title="Payments"
          {...time}
          bars={barsOf(
            ({ settled }) => settled.amount,
            ({ failed }) => failed.amount,
          )}
          names={['settled', 'failed']}
          format={(amount) => money(currency === 'USD' ? cents(amount) : amount, currency)}
        />
        <BarChart
          title="Subscriptions"
          {...time}
          bars={barsOf(
            ({ newSubscriptions }) => String(newSubscriptions),
            ({ endedSubscriptions }) => String(endedSubscriptions),
          )}
          names={['new', 'ended']}
          format={(count) => decimal(count.split('.')[0] ?? '')}
        />
      </div>
      <details>
        <summary>By {interval}, offer and token</summary>
        <KeyedTable
          isFolding
          caption={`Revenue in ${currency} by ${interval}, offer and token`}
          rows={[...periods].reverse()}
          keyOf={({ start, offerId, tokenKey }) => `${start} ${offerId} ${tokenKey}`}
          columns={{
            [`${column} (UTC)`]: ({ start }) => <time dateTime={start}>{time.startText(start)}</time>,
            Offer: ({ offerId }) => nameOf(offerId),
            Token: ({ tokenKey }) => tokenText(chains, tokenKey),
            Settled: { number: counted(({ settled }) => settled) },
            Recovered: { number: counted(({ recovered }) => recovered) },
            Failed: { number: counted(({ failed }) => failed) },
            New: { number: ({ newSubscriptions }) => newSubscriptions },
            Ended: { number: ({ endedSubscriptions }) => endedSubscriptions },
          }}
          empty="Nothing was charged in this time."
        />
      </details>
    </Panel>
  );
}

/** "9.90 USD (2 payments)"; a dash for none. */
function CountAndAmount({ count, amount, currency }: Period['settled'] & { readonly currency: string }) {
  if (count === 0) return <>–</>;
  return (
    <>
      <Amount amount={amount} currency={currency} /> {count === 1 ? '(1 payment)' : `(${count} payments)`}
    </>
  );
}

interface RetentionProps {
  readonly mode: Mode;
  readonly offerId: string;
  readonly chains: readonly Chain[];
}

/** How many of the subscriptions of each month are left after each month since: by number, or by their money. */
function RetentionPanel({ mode, offerId, chains }: RetentionProps) {
  const loaded = useLoad<Cohorts>(`/${mode}/revenue/cohorts${queryOf({ offerId })}`);
  return (
    <Panel title="Retention by the month of start">
      <WhenLoaded loaded={loaded}>{({ cohorts }) => <Shares cohorts={cohorts} chains={chains} />}</WhenLoaded>
    </Panel>
  );
}

function Shares({ cohorts, chains }: Cohorts & Pick<RetentionProps, 'chains'>) {
  const [currency, setCurrency] = useState('');
  const currencies = [...new Set(cohorts.map(({ tokenKey }) => currencyOf(chains, tokenKey)))];
  const text = (value: string) => (currency === '' ? value : <Amount amount={value} currency={currency} />);
  const months = Array.from(
    { length: Math.max(0, ...cohorts.map(({ active }) => active.length)) },
    (_, after) => after,
  );
  const columns: Columns<Retention> = Object.fromEntries(
    months.map((after) => [
      `Month ${after}`,
      { number: ({ months: all, started }: Retention) => <Share {...{ started, currency }} left={all[after]} /> },
    ]),
  );
  return (
    <>
      <div class="grid">
        <Select
          label="Count"
          value={currency}
          onChange={setCurrency}
          options={[['', 'Subscriptions'], ...currencies.map((each) => [each, `${each} a month`] as const)]}
        />
      </div>
      <p class="small soft">
        The share of the subscriptions of a month that had not ended by the end of that month (month 0) and of those
        after it. The last figure of a row is as of now. Money is what their present prices make in a month.
      </p>
      <KeyedTable
        caption="Share of subscriptions left, by the month of start"
        rows={retentionOf(chains, cohorts, currency || null)}
        keyOf={({ month }) => month}
        columns={{
          'Month (UTC)': ({ month }) => <time dateTime={month}>{dateText(month, 'month')}</time>,
          Started: { number: ({ started }) => text(started) },
          ...columns,
        }}
        empty="No subscription has started in the last twelve months."
      />
    </>
  );
}

interface ShareProps {
  readonly left: Retention['months'][number] | undefined;
  readonly started: string;
  readonly currency: string;
}

function Share({ left, started, currency }: ShareProps) {
  if (left === undefined) return null;
  const of = `${left.left} of ${started}${currency === '' ? '' : ` ${currency}`}`;
  return <span title={of}>{left.percent === null ? '–' : `${left.percent} %`}</span>;
}
