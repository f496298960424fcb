import type { OfferView, PriceRow } from '../../../src/staff/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { Facts, Panel } from '../../ui/panel.tsx';
import { Table } from '../../ui/table.tsx';
import { useLoad } from '../api.ts';
import { Reference } from '../shared/reference.tsx';
import { type Head, ResourcePage } from '../shared/resource-page.tsx';
import { countText, momentText, priceText } from '../shared/words.ts';
import { SubscriptionsList } from './resource-lists.tsx';

export function OfferPage({ id }: { readonly id: string }) {
  const loaded = useLoad<OfferView>(`/offers/${encodeURIComponent(id)}`);
  return (
    <ResourcePage
      {...{ id, loaded, headOf }}
      kind="offer"
      nameOf={({ title }) => title}
      partsOf={(seen) => [{ name: 'offer', title: 'Offer', content: <Content seen={seen} /> }]}
    />
  );
}

function headOf(seen: OfferView): Head {
  const { name, subscriptions, redeemedCount, availableQuantity, expiresAt, mode, merchant } = seen;
  const sold = availableQuantity === null ? redeemedCount : `${redeemedCount} of ${availableQuantity}`;
  return {
    title: name,
    status: statusOf(seen),
    facts: [
      ['subscriptions', 'Subscriptions', countText(subscriptions)],
      ['sold', 'Sold and paid', sold],
      ...(expiresAt === null ? [] : [['expires', 'Closes', `${momentText(expiresAt)}`] as const]),
    ],
    ...{ mode, merchant },
  };
}

function statusOf({ deletedAt, active }: OfferView): string {
  if (deletedAt !== null) return 'deleted';
  return active ? 'active' : 'inactive';
}

function Content({ seen }: { readonly seen: OfferView }) {
  return (
    <>
      <Panel title="Prices">
        <Prices prices={seen.prices} />
      </Panel>
      <Panel
        title={
          <>
            Subscriptions <Badge>{countText(seen.subscriptions)}</Badge>
          </>
        }
      >
        <SubscriptionsList merchantId={seen.merchantId} mode={seen.mode} by={{ offerId: seen.id }} />
      </Panel>
      <Identity seen={seen} />
    </>
  );
}

function Prices({ prices }: { readonly prices: readonly PriceRow[] }) {
  return (
    <Table
      caption="Prices"
      rows={prices}
      columns={{
        Price: (price) => (
          <>
            {priceText(price)}
            {price.label !== null && <div class="small soft">{price.label}</div>}
            {price.trialDays !== null && <div class="small soft">{price.trialDays} days of trial</div>}
            {price.maxCycles !== null && <div class="small soft">at most {price.maxCycles} cycles</div>}
          </>
        ),
        Tokens: ({ tokenKeys }) => tokenKeys.join(', '),
        Status: ({ active }) => (active ? <Badge tone="good">active</Badge> : <Badge>retired</Badge>),
        Id: ({ id }) => <Copyable what="id of the price" text={id} isShort />,
      }}
    />
  );
}

function Identity({ seen }: { readonly seen: OfferView }) {
  const { id, description, identifier, reference, checkoutUrl, merchant, createdAt, updatedAt, deletedAt } = seen;
  const checkout = (
    <a href={checkoutUrl} rel="noreferrer noopener" target="_blank">
      Checkout
    </a>
  );
  return (
    <Panel title="Checkout and ids" look="stack-tight small">
      {description !== null && <p class="typed">{description}</p>}
      <Facts
        facts={[
          [checkout, <Copyable what="checkout link" text={checkoutUrl} />],
          ['This offer', <Copyable what="id" text={id} />],
          ['Identifier', identifier],
          ["Merchant's reference", reference],
          [`Merchant ${merchant.name}`, <Reference text={merchant.id} />],
        ]}
      />
      <p class="soft">
        Created {momentText(createdAt)} · changed {momentText(updatedAt)}
        {deletedAt !== null && ` · deleted ${momentText(deletedAt)}`}
      </p>
    </Panel>
  );
}
