import type { CustomerRow, OfferRow, SubscriptionRow } from '../../../src/staff/wire.ts';
import { Badge, toneOf } from '../../ui/badge.tsx';
import { Copyable, short } from '../../ui/copy-button.tsx';
import { hrefOf, type Mode } from '../route.ts';
import { PagedTable, type PageOf, usePages } from '../shared/paged-table.tsx';
import { Reference } from '../shared/reference.tsx';
import { momentText, priceText } from '../shared/words.ts';

export interface OfMerchant {
  readonly merchantId: string;
  readonly mode: Mode;
}

function listPath(list: string, { merchantId, mode }: OfMerchant, query = ''): `/${string}` {
  return `/merchants/${encodeURIComponent(merchantId)}/${list}?mode=${mode}${query}`;
}

export function CustomersList(of: OfMerchant) {
  const paged = usePages(listPath('customers', of), ({ customers }: PageOf<'customers', CustomerRow>) => customers);
  return (
    <PagedTable
      caption={`Customers (${of.mode})`}
      paged={paged}
      empty={`No customer in ${of.mode}.`}
      columns={{
        Customer: ({ id, name, email }) => <a href={hrefOf('customer', id) ?? '#/'}>{name ?? email ?? short(id)}</a>,
        Email: ({ email }) => email,
        "Merchant's id": ({ merchantReferenceId }) => merchantReferenceId,
        Wallets: ({ wallets }) =>
          wallets.map(({ address }) => (
            <div key={address}>
              <Reference text={address} />
            </div>
          )),
        Created: ({ createdAt }) => momentText(createdAt),
      }}
    />
  );
}

export function OffersList(of: OfMerchant) {
  const paged = usePages(listPath('offers', of), ({ offers }: PageOf<'offers', OfferRow>) => offers);
  return (
    <PagedTable
      caption={`Offers (${of.mode})`}
      paged={paged}
      empty={`No offer in ${of.mode}.`}
      columns={{
        Offer: ({ id, name }) => <a href={hrefOf('offer', id) ?? '#/'}>{name}</a>,
        Prices: ({ prices }) =>
          prices.filter(({ active }) => active).map((price) => <div key={price.id}>{priceText(price)}</div>),
        Status: ({ active }) => (active ? <Badge tone="good">active</Badge> : <Badge>inactive</Badge>),
        Created: ({ createdAt }) => momentText(createdAt),
      }}
    />
  );
}

/** The subscriptions of a merchant, or of one customer or offer. */
export function SubscriptionsList({
  by = {},
  ...of
}: OfMerchant & { readonly by?: { readonly customerId?: string; readonly offerId?: string } }) {
  const query = Object.entries(by).map(([name, id]) => `&${name}=${encodeURIComponent(id)}`);
  const path = listPath('subscriptions', of, query.join(''));
  const paged = usePages(path, ({ subscriptions }: PageOf<'subscriptions', SubscriptionRow>) => subscriptions);
  return (
    <PagedTable
      caption="Subscriptions"
      paged={paged}
      empty="No subscription."
      columns={{
        Subscription: ({ id, offerName }) => (
          <>
            <a href={hrefOf('subscription', id) ?? '#/'}>{offerName}</a>
            <div class="small soft">
              <Copyable text={id} isShort />
            </div>
          </>
        ),
        Status: ({ status }) => <Badge tone={toneOf(status)}>{status}</Badge>,
        Price: {
          number: ({ priceAmount, priceCurrency, quantity }) =>
            `${quantity === null ? '' : `${quantity} × `}${priceAmount} ${priceCurrency}`,
        },
        'Paid cycles': { number: ({ cyclesCompleted }) => cyclesCompleted },
        'Paid until': ({ currentPeriodEnd }) => currentPeriodEnd !== null && momentText(currentPeriodEnd),
        Created: ({ createdAt }) => momentText(createdAt),
      }}
    />
  );
}
