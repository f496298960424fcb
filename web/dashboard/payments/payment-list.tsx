import { choiceOf, type Filter, METADATA_FILTER } from '../list/filters.ts';
import { ListPage } from '../list/list-page.tsx';
import type { Payment, Payments } from '../merchant-api.ts';
import { hrefOf, type Route } from '../route.ts';
import { paymentColumns } from '../shared/columns.tsx';
import { useChains } from '../shared/currencies.ts';
import { PAYMENT_STATUSES } from '../shared/state-badges.tsx';

const FILTERS: readonly Filter[] = [
  choiceOf('status', 'Status', PAYMENT_STATUSES),
  choiceOf('source', 'Source', [
    ['one_time', 'One-time'],
    ['subscription', 'Subscription'],
  ]),
  { name: 'customerId', label: 'Customer id' },
  { name: 'subscriptionId', label: 'Subscription id' },
  { name: 'offerId', label: 'Offer id' },
  METADATA_FILTER,
];

export function PaymentList({ route }: { readonly route: Route }) {
  const chains = useChains(route.mode);
  return (
    <ListPage<Payments, Payment>
      route={route}
      filters={FILTERS}
      rowsOf={({ payments }) => payments}
      columns={paymentColumns(route.mode, chains)}
      empty={
        <>
          There are no payments yet. Give people the checkout link of an{' '}
          <a href={hrefOf(route.mode, 'offers')}>offer</a>.
        </>
      }
    />
  );
}
