import type { OfferView, PriceRow } from '../../../src/staff/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { Table } from '../../ui/table.tsx';
import { hrefOf } from '../route.ts';
import { Copyable } from '../shared/copyable.tsx';
import { NotLoaded } from '../shared/not-loaded.tsx';
import { FactLine, PageHead } from '../shared/page-head.tsx';
import { useLoad } from '../shared/use-load.ts';
import { useStaffTitle } from '../shared/use-staff-title.ts';
import { countText, momentText, priceText } from '../shared/words.ts';
import { ResourceBadges } from './resource-badges.tsx';
import { SubscriptionsList } from './resource-lists.tsx';

/** One offer: its prices, its checkout, and the subscriptions to it. */
export function OfferPage({ id }: { readonly id: string }) {
  const loaded = useLoad<OfferView>(`/offers/${encodeURIComponent(id)}`);
  const { value: seen, error, isLoading, reload } = loaded;
  useStaffTitle(error ?? seen?.name ?? id);
  if (error !== null || seen === null) return <NotLoaded loaded={loaded} kind="offer" id={id} />;
  return (
    <div class="stack">
      <PageHead
        title={seen.name}
        badges={<ResourceBadges kind="offer" of={seen} status={statusOf(seen)} />}
        facts={<Facts seen={seen} />}
        isLoading={isLoading}
        reload={reload}
        tabs={null}
      />
      <section class="card stack" aria-labelledby="prices">
        <h2 id="prices">Prices</h2>
        <Prices prices={seen.prices} />
      </section>
      <section class="card stack" aria-labelledby="subscriptions">
        <h2 id="subscriptions">
          Subscriptions <Badge>{countText(seen.subscriptions)}</Badge>
        </h2>
        <SubscriptionsList merchantId={seen.merchantId} mode={seen.mode} by={{ offerId: id }} />
      </section>
      <Identity seen={seen} />
    </div>
  );
}

function statusOf({ deletedAt, active }: OfferView): string {
  if (deletedAt !== null) return 'deleted';
  return active ? 'active' : 'inactive';
}

function Facts({ seen }: { readonly seen: OfferView }) {
  const { subscriptions, redeemedCount, availableQuantity, expiresAt, merchant } = seen;
  return (
    <>
      <FactLine name="subscriptions" label="Subscriptions">
        {countText(subscriptions)}
      </FactLine>
      <FactLine name="sold" label="Sold and paid">
        {availableQuantity === null ? redeemedCount : `${redeemedCount} of ${availableQuantity}`}
      </FactLine>
      {expiresAt !== null && (
        <FactLine name="expires" label="Closes">
          {momentText(expiresAt)} UTC
        </FactLine>
      )}
      <FactLine name="merchant" label="Merchant">
        <a href={hrefOf('merchant', merchant.id) ?? '#/'}>{merchant.name}</a>
      </FactLine>
    </>
  );
}

function Prices({ prices }: { readonly prices: readonly PriceRow[] }) {
  return (
    <Table
      caption="Prices"
      rows={prices}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Price',
          cell: (price) => (
            <>
              {priceText(price)}
              {price.label !== null && <div class="small soft">{price.label}</div>}
              {price.trialDays !== null && <div class="small soft">{price.trialDays} days of trial</div>}
              {price.maxCycles !== null && <div class="small soft">at most {price.maxCycles} cycles</div>}
            </>
          ),
        },
        { title: 'Tokens', cell: ({ tokenKeys }) => tokenKeys.join(', ') },
        {
          title: 'Status',
          cell: ({ active }) => (active ? <Badge tone="good">active</Badge> : <Badge>retired</Badge>),
        },
        { title: 'Id', cell: ({ id }) => <Copyable what="id of the price" text={id} isShort /> },
      ]}
    />
  );
}

function Identity({ seen }: { readonly seen: OfferView }) {
  const { id, description, identifier, reference, checkoutUrl, merchant, createdAt, updatedAt, deletedAt } = seen;
  return (
    <section class="card stack-tight small" aria-labelledby="identity">
      <h2 id="identity">Checkout and ids</h2>
      {description !== null && <p class="typed">{description}</p>}
      <dl class="ids">
        <dt>
          <a href={checkoutUrl} rel="noreferrer noopener" target="_blank">
            Checkout
          </a>
        </dt>
        <dd>
          <Copyable what="checkout link" text={checkoutUrl} />
        </dd>
        <dt>This offer</dt>
        <dd>
          <Copyable what="id" text={id} />
        </dd>
        {identifier !== null && (
          <>
            <dt>Identifier</dt>
            <dd>{identifier}</dd>
          </>
        )}
        {reference !== null && (
          <>
            <dt>Merchant's reference</dt>
            <dd>{reference}</dd>
          </>
        )}
        <dt>Merchant {merchant.name}</dt>
        <dd>
          <Copyable what="id of the merchant" text={merchant.id} />
        </dd>
      </dl>
      <p class="soft">
        Created {momentText(createdAt)} UTC · changed {momentText(updatedAt)} UTC
        {deletedAt !== null && ` · deleted ${momentText(deletedAt)} UTC`}
      </p>
    </section>
  );
}
