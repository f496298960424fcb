import { serviceNow } from '../../ui/api.ts';
import { Clipped } from '../../ui/clipped.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { decimal } from '../../ui/decimal.ts';
import { Select } from '../../ui/field.tsx';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { queryOf } from '../../ui/own-api.ts';
import { Panel } from '../../ui/panel.tsx';
import { sumOf } from '../../ui/sum.ts';
import { type Columns, KeyedTable, Table } from '../../ui/table.tsx';
import { fetchOwn, useLoad } from '../dashboard-api.ts';
import type { Chain, Month } from '../merchant-api.ts';
import { go, hrefOf, type Mode, type Route } from '../route.ts';
import { Amount } from '../shared/amount.tsx';
import { CsvButton } from '../shared/csv-button.tsx';
import { currencyOf } from '../shared/currencies.ts';
import { PageTitle } from '../shared/page-title.tsx';
import { useChains } from '../shared/use-chains.ts';
import { startsUntil } from './figures.ts';

const PAGE_SIZE = 50;

/** How many months can be picked; older ones have their address. */
const MONTHS = 36;

type Settlement = Month['settlements'][number];
type Refund = Month['refunds'][number];
type Amounts = Pick<Settlement, 'gross' | 'fee' | 'net'>;

/** What settled in a month, for the accountant: the sums of each token, then each payment and each refund. */
export function MonthPage({ route: { mode, id, query } }: { readonly route: Route }) {
  const months = startsUntil(serviceNow(), 'month', MONTHS).map((start) => start.slice(0, 7));
  const month = /^\d{4}-(0[1-9]|1[0-2])$/.test(id ?? '') ? `${id}` : `${months.at(-1)}`;
  const start = Number(query.get('start')) || 0;
  const loaded = useLoad<Month>(`/${mode}/settlements${queryOf({ month, limit: `${PAGE_SIZE}`, start: `${start}` })}`);
  const chains = useChains(mode);
  // However long it is: the service makes the file part by part.
  const readWhole = async () => {
    const csv = await fetchOwn(`/${mode}/settlements?month=${month}`, { headers: { Accept: 'text/csv' } });
    return csv.blob();
  };
  const pageAt = (offset: number) => hrefOf(mode, 'revenue', month, { start: `${Math.max(0, offset)}` });
  return (
    <>
      <a href={hrefOf(mode, 'revenue')}>Revenue</a>
      <div class="spread">
        <PageTitle title={nameOf(month)} />
        <CsvButton variant="primary" name={`settlements-${mode}-${month}`} read={readWhole} />
      </div>
      <div class="grid">
        <Select
          label="Month"
          value={month}
          onChange={(value) => go(hrefOf(mode, 'revenue', value))}
          options={[...new Set([...months, month])]
            .sort()
            .reverse()
            .map((each) => [each, nameOf(each)] as const)}
        />
      </div>
      <p class="small soft">
        The month runs in your <a href={hrefOf(mode, 'settings')}>time zone</a>. A payment counts in the month in which
        its charge became final on its chain. The fee is the service’s; net is what went to your wallet and to your
        splits. A refund counts in the month in which its transfer became final, and changes nothing in the month of its
        payment. Names are the present ones. Below the time is the number of the invoice or credit note: the page of the
        payment has it as PDF, and the CSV has its tax.
      </p>
      <WhenLoaded loaded={loaded}>
        {({ timeZone, sums, settlements, refunds, hasMore }) => (
          <>
            <Sums sums={sums} chains={chains} />
            <Panel title="Payments">
              <Table
                isFolding
                caption={`Payments that settled in ${nameOf(month)}`}
                rows={settlements}
                columns={columnsOf<Settlement>({ mode, timeZone }, ({ id }) => id, amountColumns)}
                empty="Nothing settled in this month."
              />
              <nav class="row" aria-label="Pages of the month">
                {start > 0 && <a href={pageAt(start - PAGE_SIZE)}>Earlier</a>}
                {hasMore && <a href={pageAt(start + PAGE_SIZE)}>Later</a>}
              </nav>
            </Panel>
            {refunds.length > 0 && (
              <Panel title="Refunds">
                <Table
                  isFolding
                  caption={`Refunds that settled in ${nameOf(month)}`}
                  rows={refunds}
                  columns={columnsOf<Refund>({ mode, timeZone }, ({ paymentId }) => paymentId, refundedColumn)}
                  empty=""
                />
                {refunds.length < sums.reduce((count, each) => count + each.refunds, 0) && (
                  <p>The CSV has the later ones.</p>
                )}
              </Panel>
            )}
          </>
        )}
      </WhenLoaded>
    </>
  );
}

/** `paymentOf`: the payment to which a row leads. */
function columnsOf<Row extends Settlement | Refund>(
  { mode, timeZone }: { readonly mode: Mode; readonly timeZone: string },
  paymentOf: (row: Row) => string,
  amounts: Columns<Row>,
): Columns<Row> {
  return {
    [`Settled (${timeZone})`]: (row) => (
      <>
        <a href={hrefOf(mode, 'payments', paymentOf(row))}>
          <time dateTime={row.settledAt}>{timeIn(timeZone, row.settledAt)}</time>
        </a>
        <div class="small soft">{'invoice' in row ? row.invoice : row.creditNote}</div>
      </>
    ),
    Customer: ({ customerId, customerName }) =>
      customerId && <Clipped text={customerName ?? customerId} href={hrefOf(mode, 'customers', customerId)} />,
    Offer: ({ offerId, offerName }) =>
      offerId === null ? (
        'Direct charge'
      ) : (
        <Clipped text={offerName ?? offerId} href={hrefOf(mode, 'offers', offerId)} />
      ),
    ...amounts,
    Token: ({ token, network }) => `${token} on ${network}`,
    Transaction: ({ transaction }) => transaction && <Copyable what="transaction" text={transaction} isShort />,
  };
}

/** Exact, because an accountant adds them up. */
const amountColumns: Columns<Amounts> = {
  Gross: { number: ({ gross }) => <span translate={false}>{decimal(gross)}</span> },
  Fee: { number: ({ fee }) => <span translate={false}>{decimal(fee)}</span> },
  Net: { number: ({ net }) => <span translate={false}>{decimal(net)}</span> },
};

const refundedColumn: Columns<Pick<Refund, 'refunded'>> = {
  Refunded: { number: ({ refunded }) => <span translate={false}>{decimal(refunded)}</span> },
};

function Sums({ sums, chains }: { readonly sums: Month['sums']; readonly chains: readonly Chain[] }) {
  const dollars = sums.filter(({ tokenKey }) => currencyOf(chains, tokenKey) === 'USD');
  const total = (name: keyof Amounts | 'refunded') => (
    <Amount amount={sumOf(dollars.map((each) => each[name]))} currency="USD" />
  );
  return (
    <Panel title="Sums by token">
      <KeyedTable
        isFolding
        caption="Sums of the month by token"
        rows={sums}
        keyOf={({ tokenKey }) => tokenKey}
        columns={{
          Token: ({ token, network }) => `${token} on ${network}`,
          Payments: { number: ({ payments }) => decimal(`${payments}`) },
          ...amountColumns,
          ...refundedColumn,
        }}
        empty="Nothing settled in this month."
      />
      {dollars.length > 0 && (
        <p>
          Together, at one US dollar for each USDC and USDT: gross {total('gross')}, fee {total('fee')}, net{' '}
          <strong>{total('net')}</strong>, refunded {total('refunded')}.
        </p>
      )}
    </Panel>
  );
}

/** "2030-02-01 00:30": the form of Swedish. */
function timeIn(timeZone: string, at: string): string {
  return new Date(at).toLocaleString('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
}

/** "February 2030", in the reader's language. */
function nameOf(month: string): string {
  return new Date(`${month}-01`).toLocaleDateString(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' });
}
