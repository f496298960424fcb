import { useEffect, useRef } from 'preact/hooks';
import type { AccountView, MerchantRow, NewMerchant, PayoutRow, StaffEntry } from '../../../src/staff/wire.ts';
import { serviceUrl } from '../../ui/api.ts';
import { Badge, toneOf } from '../../ui/badge.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { Select } from '../../ui/field.tsx';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { Facts, Panel } from '../../ui/panel.tsx';
import { useShownOnce } from '../../ui/shown-once.tsx';
import { Table } from '../../ui/table.tsx';
import { useLoad } from '../api.ts';
import { LettersAbout } from '../letters/letters-about.tsx';
import { CustomersList, OffersList, SubscriptionsList } from '../resources/resource-lists.tsx';
import {
  hrefOf,
  type MerchantStatus,
  type Mode,
  merchantHref,
  merchantStatusOf,
  merchantsHref,
  type Route,
} from '../route.ts';
import { JournalEntry } from '../shared/journal-entry.tsx';
import { ENVIRONMENT, type Order, OrderButton, OrderRow, RoleNote } from '../shared/order.tsx';
import { PagedTable, type PageOf, ShowMore, usePages } from '../shared/paged-table.tsx';
import { type Head, type Part, ResourcePage, useStaffTitle } from '../shared/resource-page.tsx';
import { momentText, percentText } from '../shared/words.ts';
import { KEY_WARNING, KeysPanel } from './keys-panel.tsx';

export function MerchantPage({ id, tab, mode }: Extract<Route, { readonly page: 'merchant' }>) {
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
    { name: 'letters', title: 'Weekly summaries', content: <LettersAbout id={seen.id} address={seen.summaryTo} /> },
    { name: 'journal', title: 'Journal', isRead: true, content: <StaffJournalPanel seen={seen} /> },
  ];
}

function Environment({ id, tab, mode }: { readonly id: string; readonly tab: string; readonly mode: Mode }) {
  return (
    <Select
      label="Environment"
      value={mode}
      onChange={(chosen) => location.replace(merchantHref(id, tab, chosen === 'test' ? 'test' : 'live'))}
      options={Object.entries({ live: 'live', test: 'test' })}
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

function PayoutsPanel({ seen, reload }: { readonly seen: AccountView; readonly reload: () => void }) {
  const set: Order = {
    title: 'Set a payout wallet',
    what: 'Money in this token goes to the address from now on. An address that the wallet has now is replaced.',
    path: `/merchants/${seen.id}/wallets`,
    method: 'PUT',
    fields: [
      ENVIRONMENT,
      { name: 'tokenKey', label: 'Token', hint: 'Its key in the catalog, such as usdc-base.' },
      { name: 'receiverWallet', label: 'Address' },
    ],
    onDone: reload,
  };
  const removal = ({ id, tokenKey, mode, receiverWallet }: PayoutRow): Order => ({
    title: 'Remove',
    isDanger: true,
    what: `Money in ${tokenKey} (${mode}) does not go to ${receiverWallet} any more.`,
    path: `/merchants/${seen.id}/wallets/${id}`,
    method: 'DELETE',
    onDone: reload,
  });
  return (
    <Panel title="Payout wallets" beside={<OrderButton needs="admin" order={set} />}>
      <RoleNote needs="admin" />
      <Table
        caption="Payout wallets"
        rows={seen.wallets}
        empty="It has no payout wallet."
        columns={{
          Token: ({ tokenKey }) => tokenKey,
          Environment: ({ mode }) => mode,
          Address: ({ receiverWallet, tokenKey }) =>
            receiverWallet === null ? (
              <span class="soft">removed</span>
            ) : (
              <Copyable what={`payout address of ${tokenKey}`} text={receiverWallet} isShort />
            ),
          Changed: ({ updatedAt }) => momentText(updatedAt),
          Actions: (wallet) =>
            wallet.receiverWallet !== null && (
              <OrderButton
                needs="admin"
                label={`Remove the ${wallet.mode} address of ${wallet.tokenKey}`}
                order={removal(wallet)}
              />
            ),
        }}
      />
    </Panel>
  );
}

/** The actions of staff on a merchant, the newest first. */
function StaffJournalPanel({ seen }: { readonly seen: AccountView }) {
  const path: `/${string}` = `/merchants/${encodeURIComponent(seen.id)}/journal`;
  const paged = usePages(path, ({ entries }: PageOf<'entries', StaffEntry>) => entries);
  const { reload } = paged;
  const read = useRef(seen);
  useEffect(() => {
    // Whatever was changed has a new entry.
    if (read.current !== seen) reload();
    read.current = seen;
  }, [seen, reload]);
  if (paged.error !== null) return <LoadFailed loaded={paged}>This merchant has no journal.</LoadFailed>;
  if (paged.items === null) return <p class="soft">Loading…</p>;
  return (
    <Panel title="Journal of staff actions">
      {paged.items.length === 0 && <p class="soft">Staff have changed nothing.</p>}
      <ol class="plain-list timeline">
        {paged.items.map(({ id, at, ...entry }) => (
          <JournalEntry key={id} {...entry} when={momentText(at)} />
        ))}
      </ol>
      <ShowMore paged={paged} />
    </Panel>
  );
}

const ALL = 'all';

/** All merchants, the newest first. */
export function MerchantsPage({ status }: { readonly status: MerchantStatus | null }) {
  useStaffTitle('Merchants');
  const { shown, show } = useShownOnce();
  const path: `/${string}` = `/merchants${status === null ? '' : `?status=${status}`}`;
  const paged = usePages(path, ({ merchants }: PageOf<'merchants', MerchantRow>) => merchants);
  const create: Order<NewMerchant> = {
    title: 'Create a merchant',
    what: 'The service makes the merchant and one key of each environment. The keys are shown only once.',
    path: '/merchants',
    needsReason: false,
    fields: [{ name: 'name', label: 'Name' }],
    onDone: ({ testKey, liveKey }) => {
      show({ 'test key': testKey, 'live key': liveKey }, KEY_WARNING);
      paged.reload();
    },
  };
  return (
    <div class="stack">
      <div class="spread">
        <h1>Merchants</h1>
        <OrderButton needs="admin" variant="primary" order={create} />
      </div>
      <RoleNote needs="admin" />
      {shown}
      <Select
        label="Status"
        value={status ?? ALL}
        onChange={(chosen) => location.replace(merchantsHref(merchantStatusOf(chosen)))}
        options={Object.entries({ [ALL]: 'all', active: 'active', suspended: 'suspended' })}
      />
      <PagedTable
        caption="Merchants"
        paged={paged}
        empty={status === null ? 'No merchant exists yet.' : `No merchant is ${status}.`}
        columns={{
          Merchant: ({ id, name }) => (
            <>
              <a href={hrefOf('merchant', id) ?? '#/'}>{name}</a>
              <div class="small soft">
                <Copyable text={id} isShort />
              </div>
            </>
          ),
          Status: (row) => <Badge tone={toneOf(row.status)}>{row.status}</Badge>,
          Fee: { number: ({ feeBps }) => percentText(feeBps) },
          Limits: { number: ({ limitFactor }) => `× ${limitFactor}` },
          Created: ({ createdAt }) => momentText(createdAt),
        }}
      />
    </div>
  );
}
