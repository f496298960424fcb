import { choiceOf, type Filter } from '../list/filters.ts';
import { ListPage } from '../list/list-page.tsx';
import type { Subscription, Subscriptions } from '../merchant-api.ts';
import { hrefOf, type Route } from '../route.ts';
import { subscriptionColumns } from '../shared/columns.tsx';
import { SUBSCRIPTION_STATUSES } from '../shared/state-badges.tsx';

const FILTERS: readonly Filter[] = [
  choiceOf('status', 'Status', SUBSCRIPTION_STATUSES),
  { name: 'customerId', label: 'Customer id' },
  { name: 'offerId', label: 'Offer id' },
];

export function SubscriptionList({ route }: { readonly route: Route }) {
  return (
    <ListPage<Subscriptions, Subscription>
      route={route}
      create="Create a subscription"
      filters={FILTERS}
      rowsOf={({ subscriptions }) => subscriptions}
      columns={subscriptionColumns(route.mode)}
      empty={
        <>
          There are no subscriptions yet. Give people the checkout link of an{' '}
          <a href={hrefOf(route.mode, 'offers')}>offer</a>.
        </>
      }
    />
  );
}
