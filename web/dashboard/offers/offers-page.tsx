import { priceOf } from '../../pay/words.ts';
import { useSelector } from '../../ui/use-selector.ts';
import { hasRole, session } from '../access/session.ts';
import { type Filter, METADATA_FILTER } from '../list/filters.ts';
import { ListPage } from '../list/list-page.tsx';
import type { Offer, Offers } from '../merchant-api.ts';
import { hrefOf, type Route } from '../route.ts';
import { Moment } from '../shared/facts.tsx';
import { OfferState } from '../shared/state-badges.tsx';
import { NewOffer } from './new-offer.tsx';
import { OfferPage } from './offer-page.tsx';

const FILTERS: readonly Filter[] = [
  {
    name: 'active',
    label: 'State',
    options: [
      ['true', 'Active'],
      ['false', 'Inactive'],
    ],
  },
  { name: 'identifier', label: 'Identifier' },
  METADATA_FILTER,
];

/** All pages about offers. */
export function OffersPage({ route }: { readonly route: Route }) {
  switch (route.id) {
    case null:
      return <OfferList route={route} />;
    case 'new':
      return <NewOffer mode={route.mode} />;
    default:
      return <OfferPage mode={route.mode} id={route.id} />;
  }
}

function OfferList({ route }: { readonly route: Route }) {
  const { mode } = route;
  const mayAct = useSelector(session, (context) => hasRole(context, 'member'));
  return (
    <ListPage<Offers, Offer>
      route={route}
      title="Offers"
      filters={FILTERS}
      rowsOf={({ offers }) => offers}
      columns={[
        { title: 'Name', cell: ({ id, name }) => <a href={hrefOf(mode, 'offers', id)}>{name}</a> },
        { title: 'Prices', cell: PriceList },
        { title: 'State', cell: OfferState },
        { title: 'Sold', cell: ({ redeemedCount }) => redeemedCount, isNumber: true },
        { title: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} /> },
      ]}
      empty={
        mayAct
          ? 'There are no offers yet. Create one: you get a link at which people pay.'
          : 'There are no offers yet. A member of your team with the role member can create one.'
      }
    >
      {mayAct && (
        <a class="button button-primary button-small" href={hrefOf(mode, 'offers', 'new')}>
          Create an offer
        </a>
      )}
    </ListPage>
  );
}

function PriceList({ pricing }: Offer) {
  return (
    <ul class="plain-list">
      {pricing
        .filter(({ active }) => active)
        .map((option) => (
          <li key={option.id}>{priceOf(option)}</li>
        ))}
    </ul>
  );
}
