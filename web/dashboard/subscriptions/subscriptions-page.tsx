import { useSelector } from '../../ui/use-selector.ts';
import { hasRole, session } from '../access/session.ts';
import type { Filter } from '../list/filters.ts';
import { ListPage } from '../list/list-page.tsx';
import type { Subscription, Subscriptions } from '../merchant-api.ts';
import { hrefOf, type Route } from '../route.ts';
import { subscriptionColumns } from '../shared/columns.tsx';
import { SUBSCRIPTION_STATUSES } from '../shared/state-badges.tsx';
import { NewSubscription } from './new-subscription.tsx';
import { SubscriptionPage } from './subscription-page.tsx';

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', options: SUBSCRIPTION_STATUSES },
  { name: 'customerId', label: 'Customer id' },
  { name: 'offerId', label: 'Offer id' },
];

/** All pages about subscriptions. */
export function SubscriptionsPage({ route }: { readonly route: Route }) {
  switch (route.id) {
    case null:
      return <SubscriptionList route={route} />;
    case 'new':
      return <NewSubscription mode={route.mode} query={route.query} />;
    default:
      return <SubscriptionPage mode={route.mode} id={route.id} />;
  }
}

function SubscriptionList({ route }: { readonly route: Route }) {
  const { mode } = route;
  const mayAct = useSelector(session, (context) => hasRole(context, 'member'));
  return (
    <ListPage<Subscriptions, Subscription>
      route={route}
      title="Subscriptions"
      filters={FILTERS}
      rowsOf={({ subscriptions }) => subscriptions}
      columns={subscriptionColumns(mode)}
      empty={
        <>
          There are no subscriptions yet. Give people the checkout link of an <a href={hrefOf(mode, 'offers')}>offer</a>
          .
        </>
      }
    >
      {mayAct && (
        <a class="button button-primary button-small" href={hrefOf(mode, 'subscriptions', 'new')}>
          Create a subscription
        </a>
      )}
    </ListPage>
  );
}
