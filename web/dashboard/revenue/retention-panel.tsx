import { useState } from 'preact/hooks';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { queryOf } from '../../ui/own-api.ts';
import { Panel } from '../../ui/panel.tsx';
import { Select } from '../../ui/select.tsx';
import { type Columns, Table } from '../../ui/table.tsx';
import { useLoad } from '../dashboard-api.ts';
import type { Chain, Cohorts } from '../merchant-api.ts';
import type { Mode } from '../route.ts';
import { Amount } from '../shared/amount.tsx';
import { currencyOf } from '../shared/currencies.ts';
import { dateText, type Retention, retentionOf } from './figures.ts';

export interface RetentionProps {
  readonly mode: Mode;
  readonly offerId: string;
  readonly chains: readonly Chain[];
}

/** How many of the subscriptions of each month are left after each month since: by number, or by their money. */
export function RetentionPanel({ mode, offerId, chains }: RetentionProps) {
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
      <Table
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
