import { Clipped } from '../../ui/clipped.tsx';
import { useRole } from '../access/session.ts';
import { choiceOf, type Filter, ListPage, METADATA_FILTER } from '../list/list-page.tsx';
import type { Offer, Offers } from '../merchant-api.ts';
import { hrefOf, type Route } from '../route.ts';
import { Moment } from '../shared/moment.tsx';
import { OfferState } from '../shared/state-badges.tsx';
import { priceText } from './price-text.ts';

const FILTERS: readonly Filter[] = [
  choiceOf('active', 'State', [
    ['true', 'Active'],
    ['false', 'Inactive'],
  ]),
  { name: 'identifier', label: 'Identifier' },
  METADATA_FILTER,
];

export function OfferList({ route }: { readonly route: Route }) {
  const mayCreate = useRole('member');
  return (
    <ListPage<Offers, Offer>
      route={route}
      create="Create an offer"
      filters={FILTERS}
      rowsOf={({ offers }) => offers}
      columns={{
        Name: ({ id, name }) => <Clipped text={name} href={hrefOf(route.mode, 'offers', id)} />,
        Prices: PriceList,
        State: OfferState,
        Sold: { number: ({ redeemedCount }) => redeemedCount },
        Created: ({ createdAt }) => <Moment at={createdAt} />,
      }}
      empty={
        mayCreate
          ? 'There are no offers yet. Create one: you get a link at which people pay.'
          : 'There are no offers yet. A member of your team with the role member can create one.'
      }
    />
  );
}

function PriceList({ pricing }: Offer) {
  return (
    <ul class="plain-list">
      {pricing
        .filter(({ active }) => active)
        .map((option) => (
          <li key={option.id}>{priceText(option)}</li>
        ))}
    </ul>
  );
}
