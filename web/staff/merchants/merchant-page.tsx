import type { AccountView } from '../../../src/staff/wire.ts';
import { serviceUrl } from '../../ui/api.ts';
import { Copyable } from '../../ui/copy-button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Select } from '../../ui/select.tsx';
import { useLoad } from '../api.ts';
import { CustomersList, OffersList, SubscriptionsList } from '../resources/resource-lists.tsx';
import { type Mode, merchantHref } from '../route.ts';
import type { Order } from '../shared/order-button.tsx';
import { OrderRow } from '../shared/order-row.tsx';
import { type Head, type Part, ResourcePage } from '../shared/resource-page.tsx';
import { momentText, percentText } from '../shared/words.ts';
import { KeysPanel } from './keys-panel.tsx';
import { PayoutsPanel } from './payouts-panel.tsx';
import { StaffJournalPanel } from './staff-journal-panel.tsx';

export interface MerchantPageProps {
  readonly id: string;
  readonly tab: string | null;
  readonly mode: Mode;
}

/** Everything about one merchant, and its administration. */
export function MerchantPage({ id, tab, mode }: MerchantPageProps) {
  const loaded = useLoad<AccountView>(`/merchants/${encodeURIComponent(id)}`);
  return (
    <ResourcePage
      {...{ id, loaded, tab }}
      kind="merchant"
      headOf={(seen) => headOf(seen, loaded.reload)}
      nameOf={({ title, status }) => `${title}: ${status}`}
      partsOf={(seen) => partsOf(seen, mode, loaded.reload)}
      hrefOfTab={(name) => merchantHref(id, name, mode)}
    />
  );
}

function headOf(seen: AccountView, reload: () => void): Head {
  return {
    title: seen.name,
    status: seen.status,
    facts: [
      ['fee', 'Fee', percentText(seen.feeBps)],
      ['limits', 'Limits', `× ${seen.limitFactor}`],
      ['created', 'Created', `${momentText(seen.createdAt)}`],
    ],
    actions: (
      <OrderRow
        orders={[seen.status === 'active' ? suspension(seen) : reinstatement(seen), settings(seen)]}
        onDone={reload}
        needs="admin"
      />
    ),
  };
}

function partsOf(seen: AccountView, mode: Mode, reload: () => void): readonly Part[] {
  const of = { merchantId: seen.id, mode };
  const listed = (name: string, title: string, list: Part['content']): Part => ({
    ...{ name, title, isRead: true },
    content: (
      <Panel title={title}>
        <Environment id={seen.id} tab={name} mode={mode} />
        {list}
      </Panel>
    ),
  });
  return [
    { name: 'overview', title: 'Overview', content: <Overview seen={seen} /> },
    { name: 'keys', title: 'Keys', content: <KeysPanel seen={seen} reload={reload} /> },
    { name: 'payouts', title: 'Payout wallets', content: <PayoutsPanel seen={seen} reload={reload} /> },
    listed('customers', 'Customers', <CustomersList {...of} />),
    listed('offers', 'Offers', <OffersList {...of} />),
    listed('subscriptions', 'Subscriptions', <SubscriptionsList {...of} />),
    { name: 'journal', title: 'Journal', isRead: true, content: <StaffJournalPanel seen={seen} /> },
  ];
}

interface EnvironmentProps {
  readonly id: string;
  readonly tab: string;
  readonly mode: Mode;
}

function Environment({ id, tab, mode }: EnvironmentProps) {
  return (
    <Select
      label="Environment"
      value={mode}
      onChange={(chosen) => location.replace(merchantHref(id, tab, chosen === 'test' ? 'test' : 'live'))}
      options={[
        ['live', 'live'],
        ['test', 'test'],
      ]}
    />
  );
}

type OrderOnly = Omit<Order, 'onDone'>;

function suspension({ id }: AccountView): OrderOnly {
  const what = 'Its keys get 401, its checkout gets 404, and no new charge begins, until it is reinstated.';
  return { title: 'Suspend', isDanger: true, what, path: `/merchants/${id}/suspend` };
}

function reinstatement({ id }: AccountView): OrderOnly {
  const what = 'Its keys and its checkout work again. Charges that were not attempted meanwhile are made now.';
  return { title: 'Reinstate', what, path: `/merchants/${id}/reinstate` };
}

function settings({ id, ...seen }: AccountView): OrderOnly {
  const field = (name: string, label: string, now: number) =>
    ({ name, label, hint: `Now ${now}. Empty: it stays.`, inputMode: 'numeric' }) as const;
  return {
    title: 'Set limits and fee',
    what: 'The fee applies to charges that are made from now on. Limits of a day do not stop charges that payers have signed.',
    path: `/merchants/${id}`,
    method: 'PATCH',
    fields: [
      field('limitFactor', 'Factor of all limits', seen.limitFactor),
      field('signUpsPerDay', 'Sign-ups a day from one network', seen.signUpsPerDay),
      field('newWalletsPerDay', 'Payments a day from or to new wallets', seen.newWalletsPerDay),
      field('announcementsPerDay', 'Announcements of payout wallets a day', seen.announcementsPerDay),
      field('feeBps', 'Fee in basis points (100 are 1 %)', seen.feeBps),
    ],
  };
}

function Overview({ seen }: { readonly seen: AccountView }) {
  const { id, webhooks, branding, updatedAt } = seen;
  const urlOf = (mode: Mode) =>
    `${webhooks[mode].effectiveUrl ?? 'no URL'}${webhooks[mode].extraEvents ? ', with extra events' : ''}`;
  return (
    <>
      <Panel title="Webhooks" look="stack-tight">
        <Facts
          facts={[
            ['live', urlOf('live')],
            ['test', urlOf('test')],
            ['Signing secret', secretText(webhooks)],
          ]}
        />
      </Panel>
      <Panel title="Branding" look="stack-tight">
        <p>Accent colour: {branding.accentColor ?? 'that of the service'}</p>
        {branding.logoPath === null ? (
          <p>No logo</p>
        ) : (
          <img class="logo" src={serviceUrl(branding.logoPath)} alt="Logo" />
        )}
      </Panel>
      <Panel title="Ids" look="stack-tight small">
        <p>
          <Copyable what="id" text={id} />
        </p>
        <p class="soft">Changed {momentText(updatedAt)}</p>
      </Panel>
    </>
  );
}

function secretText({ secretConfigured, secretRotatedAt }: AccountView['webhooks']): string {
  if (!secretConfigured) return 'none';
  return secretRotatedAt === null ? 'set' : `set, rotated ${momentText(secretRotatedAt)}`;
}
