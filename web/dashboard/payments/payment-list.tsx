import { post } from '../dashboard-api.ts';
import type { BulkAction } from '../list/bulk.tsx';
import { choiceOf, METADATA_FILTER } from '../list/filters.ts';
import { ListPage } from '../list/list-page.tsx';
import type { Chain, Payment, Payments } from '../merchant-api.ts';
import { useOfferFilter } from '../offers/use-offers.ts';
import { hrefOf, type Mode, type Route } from '../route.ts';
import { paymentColumns } from '../shared/columns.tsx';
import { amountText } from '../shared/currencies.ts';
import { momentText } from '../shared/moment.tsx';
import { PAYMENT_STATUSES } from '../shared/state-badges.tsx';
import { useChains } from '../shared/use-chains.ts';

const SOURCE = choiceOf('source', 'Source', [
  ['one_time', 'One-time'],
  ['subscription', 'Subscription'],
]);

const VIEWS = [
  { name: 'Failed', filters: { status: 'failed' } },
  { name: 'Settled', filters: { status: 'settled' } },
  { name: 'On their way', filters: { status: 'pending' } },
];

export function PaymentList({ route }: { readonly route: Route }) {
  const chains = useChains(route.mode);
  const offer = useOfferFilter(route.mode);
  return (
    <ListPage<Payments, Payment>
      route={route}
      filters={[choiceOf('status', 'Status', PAYMENT_STATUSES), SOURCE, offer, METADATA_FILTER]}
      views={VIEWS}
      rowsOf={({ payments }) => payments}
      columns={paymentColumns(route.mode, chains)}
      actions={actionsOf(route.mode, chains)}
      sumsOf={({ totals }) => <Sums totals={totals} chains={chains} />}
      empty={
        <>
          There are no payments yet. Give people the checkout link of an{' '}
          <a href={hrefOf(route.mode, 'offers')}>offer</a>.
        </>
      }
    />
  );
}

/** The sums of all pages, by token. Payments that have not ended are in none. */
function Sums({ totals, chains }: { readonly totals: Payments['totals']; readonly chains: readonly Chain[] }) {
  if (totals === undefined) return null;
  if (totals.hasMore) return <span class="soft">Too many to add up: choose a shorter time, or one offer.</span>;
  return (
    <>
      {totals.sums.map(({ tokenKey, status, count, amount }) => (
        <span key={`${status} ${tokenKey}`}>
          {status === 'settled' ? 'Settled' : 'Failed, nothing received'}:{' '}
          <strong>{amountText(chains, amount, tokenKey)}</strong> ({count})
        </span>
      ))}
    </>
  );
}

function actionsOf(mode: Mode, chains: readonly Chain[]): readonly BulkAction<Payment>[] {
  const nameOf = ({ amount, tokenKey, createdAt }: Payment) =>
    `${amountText(chains, amount, tokenKey)} of ${momentText(createdAt)}`;
  return [
    {
      verb: 'Retry',
      done: 'tried again',
      text: 'Each failed charge of a subscription is tried once more now. A charge that settles takes money.',
      exceptFor: ({ status, subscriptionId }) =>
        status === 'failed' && subscriptionId !== null
          ? null
          : 'only a failed payment of a subscription is tried again',
      run: ({ subscriptionId }) => post(`/${mode}/subscriptions/${subscriptionId}/retry`),
      nameOf,
    },
    {
      verb: 'Cancel',
      done: 'canceled',
      isDanger: true,
      text: 'This is possible while no charge has been started. It cannot be undone.',
      exceptFor: ({ status, source }) =>
        status === 'pending' && source === 'one_time'
          ? null
          : 'only a one-time payment that is pending can be canceled',
      run: ({ id }) => post(`/${mode}/payments/${id}/cancel`),
      nameOf,
    },
  ];
}
