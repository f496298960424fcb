import { useState } from 'preact/hooks';
import type { AccountView } from '../../../src/staff/wire.ts';
import { serviceUrl } from '../../ui/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/select.tsx';
import { useSelector } from '../../ui/use-selector.ts';
import { RoleNote } from '../access/role-note.tsx';
import { mayAdminister, session } from '../access/session.ts';
import { CustomersList, OffersList, SubscriptionsList } from '../resources/resource-lists.tsx';
import { type Mode, merchantHref } from '../route.ts';
import { ConfirmDialog, type ConfirmDialogProps } from '../shared/confirm-dialog.tsx';
import { Copyable } from '../shared/copyable.tsx';
import { NotLoaded } from '../shared/not-loaded.tsx';
import { FactLine, PageHead } from '../shared/page-head.tsx';
import { type Part, selectedOf, showTab, Tabbed } from '../shared/tabbed.tsx';
import { useLoad } from '../shared/use-load.ts';
import { useStaffTitle } from '../shared/use-staff-title.ts';
import { momentText, percentText, toneOf } from '../shared/words.ts';
import { KeysPanel } from './keys-panel.tsx';
import { PayoutsPanel } from './payouts-panel.tsx';
import { StaffJournalPanel } from './staff-journal-panel.tsx';

export interface MerchantPageProps {
  readonly id: string;
  /** The name of the tab in the address; null or unknown: the first one. */
  readonly tab: string | null;
  readonly mode: Mode;
}

/** Everything about one merchant, and its administration. */
export function MerchantPage({ id, tab, mode }: MerchantPageProps) {
  const loaded = useLoad<AccountView>(`/merchants/${encodeURIComponent(id)}`);
  const { value: seen, error, isLoading, reload } = loaded;
  useStaffTitle(error ?? (seen === null ? id : `${seen.name}: ${seen.status}`));
  if (error !== null || seen === null) return <NotLoaded loaded={loaded} kind="merchant" id={id} />;
  const selected = selectedOf(partsOf(seen, mode, null, reload), tab);
  const parts = partsOf(seen, mode, selected, reload);
  const onSelect = (name: string) => showTab(merchantHref(id, name, mode));
  const head = (
    <PageHead
      title={seen.name}
      badges={
        <>
          <Badge>merchant</Badge>
          <span data-testid="status">
            <Badge tone={toneOf(seen.status)}>{seen.status}</Badge>
          </span>
        </>
      }
      facts={
        <>
          <FactLine name="fee" label="Fee">
            {percentText(seen.feeBps)}
          </FactLine>
          <FactLine name="limits" label="Limits">
            × {seen.limitFactor}
          </FactLine>
          <FactLine name="created" label="Created">
            {momentText(seen.createdAt)} UTC
          </FactLine>
        </>
      }
      isLoading={isLoading}
      reload={reload}
      tabs={{ label: 'About this merchant', tabs: parts, selected, onSelect }}
    >
      <MerchantActions seen={seen} reload={reload} />
    </PageHead>
  );
  return <Tabbed head={head} parts={parts} selected={selected} />;
}

/** Lists are read only when their tab is `selected`. */
function partsOf(seen: AccountView, mode: Mode, selected: string | null, reload: () => void): Part[] {
  const of = { merchantId: seen.id, mode };
  const listed = (name: string, title: string, list: Part['content']): Part => ({
    name,
    title,
    content: selected === name && (
      <section class="card stack" aria-labelledby={name}>
        <h2 id={name}>{title}</h2>
        <Environment id={seen.id} tab={name} mode={mode} />
        {list}
      </section>
    ),
  });
  return [
    { name: 'overview', title: 'Overview', content: <Overview seen={seen} /> },
    { name: 'keys', title: 'Keys', content: <KeysPanel seen={seen} reload={reload} /> },
    { name: 'payouts', title: 'Payout wallets', content: <PayoutsPanel seen={seen} reload={reload} /> },
    listed('customers', 'Customers', <CustomersList {...of} />),
    listed('offers', 'Offers', <OffersList {...of} />),
    listed('subscriptions', 'Subscriptions', <SubscriptionsList {...of} />),
    { name: 'journal', title: 'Journal', content: selected === 'journal' && <StaffJournalPanel seen={seen} /> },
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

type Order = Pick<ConfirmDialogProps<unknown>, 'title' | 'isDanger' | 'what' | 'path' | 'method' | 'fields'>;

function MerchantActions({ seen, reload }: { readonly seen: AccountView; readonly reload: () => void }) {
  const may = useSelector(session, mayAdminister);
  const [asked, setAsked] = useState<Order | null>(null);
  const { id, status } = seen;
  const orders = [status === 'active' ? suspension(id) : reinstatement(id), settings(seen)];
  return (
    <section class="stack-tight" aria-labelledby="actions">
      <h2 id="actions" class="visually-hidden">
        Actions
      </h2>
      <div class="row">
        {orders.map((order) => (
          <Button
            key={order.title}
            size="small"
            variant={order.isDanger ? 'danger' : 'plain'}
            disabled={!may}
            onClick={() => setAsked(order)}
          >
            {order.title}
          </Button>
        ))}
      </div>
      {!may && <RoleNote needs="admin" />}
      {asked !== null && <ConfirmDialog {...asked} onClose={() => setAsked(null)} onDone={reload} />}
    </section>
  );
}

function suspension(id: string): Order {
  const what = 'Its keys get 401, its checkout gets 404, and no new charge begins, until it is reinstated.';
  return { title: 'Suspend', isDanger: true, what, path: `/merchants/${id}/suspend` };
}

function reinstatement(id: string): Order {
  const what = 'Its keys and its checkout work again. Charges that were not attempted meanwhile are made now.';
  return { title: 'Reinstate', isDanger: false, what, path: `/merchants/${id}/reinstate` };
}

function settings({ id, feeBps, limitFactor }: AccountView): Order {
  return {
    title: 'Set limits and fee',
    isDanger: false,
    what: 'The fee applies to charges that are made from now on.',
    path: `/merchants/${id}`,
    method: 'PATCH',
    fields: [
      {
        name: 'limitFactor',
        label: 'Factor of all limits',
        hint: `Now ${limitFactor}. Empty: it stays.`,
        isNumber: true,
      },
      {
        name: 'feeBps',
        label: 'Fee in basis points (100 are 1 %)',
        hint: `Now ${feeBps}. Empty: it stays.`,
        isNumber: true,
      },
    ],
  };
}

function Overview({ seen }: { readonly seen: AccountView }) {
  const { id, webhooks, branding, updatedAt } = seen;
  return (
    <>
      <section class="card stack-tight" aria-labelledby="webhooks">
        <h2 id="webhooks">Webhooks</h2>
        <dl class="ids">
          {(['live', 'test'] as const).map((mode) => (
            <>
              <dt>{mode}</dt>
              <dd>
                {webhooks[mode].effectiveUrl ?? 'no URL'}
                {webhooks[mode].extraEvents && ', with extra events'}
              </dd>
            </>
          ))}
          <dt>Signing secret</dt>
          <dd>{secretText(webhooks)}</dd>
        </dl>
      </section>
      <section class="card stack-tight" aria-labelledby="branding">
        <h2 id="branding">Branding</h2>
        <p>Accent colour: {branding.accentColor ?? 'that of the service'}</p>
        {branding.logoPath === null ? (
          <p>No logo</p>
        ) : (
          <img class="logo" src={serviceUrl(branding.logoPath)} alt="Logo" />
        )}
      </section>
      <section class="card stack-tight small" aria-labelledby="identity">
        <h2 id="identity">Ids</h2>
        <p>
          <Copyable what="id" text={id} />
        </p>
        <p class="soft">Changed {momentText(updatedAt)} UTC</p>
      </section>
    </>
  );
}

function secretText({ secretConfigured, secretRotatedAt }: AccountView['webhooks']): string {
  if (!secretConfigured) return 'none';
  return secretRotatedAt === null ? 'set' : `set, rotated ${momentText(secretRotatedAt)} UTC`;
}
