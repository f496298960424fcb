import { post } from '../dashboard-api.ts';
import type { BulkAction } from '../list/bulk.tsx';
import { ATTENTIONS, choiceOf, ListPage } from '../list/list-page.tsx';
import type { Subscription, Subscriptions } from '../merchant-api.ts';
import { useOfferFilter } from '../offers/use-offers.ts';
import { hrefOf, type Mode, type Route } from '../route.ts';
import { subscriptionColumns } from '../shared/columns.tsx';
import { momentText } from '../shared/moment.tsx';
import { SUBSCRIPTION_STATUSES } from '../shared/state-badges.tsx';

const VIEWS = [
  { name: 'Active', filters: { status: 'active' } },
  { name: 'Past due', filters: { status: 'past_due' } },
  ...ATTENTIONS.map(([attention, name]) => ({ name, filters: { attention } })),
];

export function SubscriptionList({ route }: { readonly route: Route }) {
  const offer = useOfferFilter(route.mode);
  return (
    <ListPage<Subscriptions, Subscription>
      route={route}
      create="Create a subscription"
      filters={[
        choiceOf('status', 'Status', SUBSCRIPTION_STATUSES),
        choiceOf('attention', 'At risk', ATTENTIONS),
        offer,
      ]}
      views={VIEWS}
      rowsOf={({ subscriptions }) => subscriptions}
      columns={subscriptionColumns(route.mode)}
      actions={actionsOf(route.mode)}
      empty={
        <>
          There are no subscriptions yet. Give people the checkout link of an{' '}
          <a href={hrefOf(route.mode, 'offers')}>offer</a>.
        </>
      }
    />
  );
}

function actionsOf(mode: Mode): readonly BulkAction<Subscription>[] {
  const nameOf = ({ offerName, createdAt }: Subscription) => `${offerName}, since ${momentText(createdAt)}`;
  const send = (action: 'retry' | 'cancel', { id }: Subscription, body: { readonly atPeriodEnd?: boolean } = {}) =>
    post(`/${mode}/subscriptions/${id}/${action}`, body);
  const isOver = ({ status }: Subscription) => (status === 'canceled' ? 'it is canceled' : null);
  return [
    {
      verb: 'Retry',
      done: 'tried again',
      text: 'Each failed or blocked charge is tried once more now. A charge that settles takes money.',
      exceptFor: ({ status, blockedReason }) =>
        status === 'past_due' || blockedReason !== null ? null : 'no charge has failed or waits',
      run: (subscription) => send('retry', subscription),
      nameOf,
    },
    {
      verb: 'Cancel at period end',
      done: 'will end',
      isDanger: true,
      text: 'Each ends when its paid period does, and can be resumed until then. One without a paid period ends now.',
      exceptFor: (one) => isOver(one) ?? (one.cancelAt === null ? null : 'its end is set already'),
      run: (subscription) => send('cancel', subscription, { atPeriodEnd: true }),
      nameOf,
    },
    {
      verb: 'Cancel now',
      done: 'canceled',
      isDanger: true,
      text: 'Each ends now, for good. A charge that has been started may still settle.',
      exceptFor: isOver,
      run: (subscription) => send('cancel', subscription, { atPeriodEnd: false }),
      nameOf,
    },
  ];
}
