import type { CustomerView } from '../../../src/staff/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { hrefOf } from '../route.ts';
import { Copyable } from '../shared/copyable.tsx';
import { NotLoaded } from '../shared/not-loaded.tsx';
import { FactLine, PageHead } from '../shared/page-head.tsx';
import { useLoad } from '../shared/use-load.ts';
import { useStaffTitle } from '../shared/use-staff-title.ts';
import { countText, momentText } from '../shared/words.ts';
import { ResourceBadges } from './resource-badges.tsx';
import { SubscriptionsList } from './resource-lists.tsx';

/** One customer: its contact data, wallets and subscriptions. */
export function CustomerPage({ id }: { readonly id: string }) {
  const loaded = useLoad<CustomerView>(`/customers/${encodeURIComponent(id)}`);
  const { value: seen, error, isLoading, reload } = loaded;
  const title = seen === null ? id : (seen.name ?? seen.email ?? 'A customer');
  useStaffTitle(error ?? title);
  if (error !== null || seen === null) return <NotLoaded loaded={loaded} kind="customer" id={id} />;
  return (
    <div class="stack">
      <PageHead
        title={title}
        badges={<ResourceBadges kind="customer" of={seen} status={seen.deletedAt === null ? null : 'deleted'} />}
        facts={<Facts seen={seen} />}
        isLoading={isLoading}
        reload={reload}
        tabs={null}
      />
      <section class="card stack" aria-labelledby="subscriptions">
        <h2 id="subscriptions">
          Subscriptions <Badge>{countText(seen.subscriptions)}</Badge>
        </h2>
        <SubscriptionsList merchantId={seen.merchantId} mode={seen.mode} by={{ customerId: id }} />
      </section>
      <Identity seen={seen} />
    </div>
  );
}

function Facts({ seen }: { readonly seen: CustomerView }) {
  const { email, phone, merchantReferenceId, merchant } = seen;
  return (
    <>
      <FactLine name="email" label="Email">
        {email ?? 'none'}
      </FactLine>
      {phone !== null && (
        <FactLine name="phone" label="Phone">
          {phone}
        </FactLine>
      )}
      <FactLine name="reference" label="Merchant's id">
        {merchantReferenceId ?? 'none'}
      </FactLine>
      <FactLine name="merchant" label="Merchant">
        <a href={hrefOf('merchant', merchant.id) ?? '#/'}>{merchant.name}</a>
      </FactLine>
    </>
  );
}

function Identity({ seen }: { readonly seen: CustomerView }) {
  const { id, wallets, merchant, createdAt, updatedAt, deletedAt } = seen;
  return (
    <section class="card stack-tight small" aria-labelledby="identity">
      <h2 id="identity">Wallets and ids</h2>
      <dl class="ids">
        {wallets.map(({ chainFamily, address }) => (
          <>
            <dt>Wallet ({chainFamily})</dt>
            <dd>
              <Copyable what={`${chainFamily} wallet`} text={address} />
            </dd>
          </>
        ))}
        <dt>This customer</dt>
        <dd>
          <Copyable what="id" text={id} />
        </dd>
        <dt>Merchant {merchant.name}</dt>
        <dd>
          <Copyable what="id of the merchant" text={merchant.id} />
        </dd>
      </dl>
      {wallets.length === 0 && <p>It has no wallet.</p>}
      <p class="soft">
        Created {momentText(createdAt)} UTC · changed {momentText(updatedAt)} UTC
        {deletedAt !== null && ` · deleted ${momentText(deletedAt)} UTC`}
      </p>
    </section>
  );
}
