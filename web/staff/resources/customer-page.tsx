import type { CustomerView } from '../../../src/staff/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { Facts, Panel } from '../../ui/panel.tsx';
import { useLoad } from '../api.ts';
import { LettersAbout } from '../letters/letters-about.tsx';
import { Reference } from '../shared/reference.tsx';
import { type Head, ResourcePage } from '../shared/resource-page.tsx';
import { countText, momentText } from '../shared/words.ts';
import { SubscriptionsList } from './resource-lists.tsx';

export function CustomerPage({ id }: { readonly id: string }) {
  const loaded = useLoad<CustomerView>(`/customers/${encodeURIComponent(id)}`);
  return (
    <ResourcePage
      {...{ id, loaded, headOf }}
      kind="customer"
      nameOf={({ title }) => title}
      partsOf={(seen) => [{ name: 'customer', title: 'Customer', content: <Content seen={seen} /> }]}
    />
  );
}

function headOf(seen: CustomerView): Head {
  const { name, email, phone, merchantReferenceId, deletedAt, mode, merchant } = seen;
  return {
    title: name ?? email ?? 'A customer',
    status: deletedAt === null ? null : 'deleted',
    facts: [
      ['email', 'Email', email ?? 'none'],
      ...(phone === null ? [] : [['phone', 'Phone', phone] as const]),
      ['reference', "Merchant's id", merchantReferenceId ?? 'none'],
    ],
    ...{ mode, merchant },
  };
}

function Content({ seen }: { readonly seen: CustomerView }) {
  const { id, merchantId, mode, subscriptions, wallets, merchant, createdAt, updatedAt, deletedAt } = seen;
  return (
    <>
      <Panel
        title={
          <>
            Subscriptions <Badge>{countText(subscriptions)}</Badge>
          </>
        }
      >
        <SubscriptionsList merchantId={merchantId} mode={mode} by={{ customerId: id }} />
      </Panel>
      <LettersAbout id={id} address={seen.email} />
      <Panel title="Wallets and ids" look="stack-tight small">
        <Facts
          facts={[
            ...wallets.map(
              ({ chainFamily, address }) => [`Wallet (${chainFamily})`, <Reference text={address} />] as const,
            ),
            ['This customer', <Copyable what="id" text={id} />],
            [`Merchant ${merchant.name}`, <Reference text={merchant.id} />],
          ]}
        />
        {wallets.length === 0 && <p>It has no wallet.</p>}
        <p class="soft">
          Created {momentText(createdAt)} · changed {momentText(updatedAt)}
          {deletedAt !== null && ` · deleted ${momentText(deletedAt)}`}
        </p>
      </Panel>
    </>
  );
}
