import { useLoad } from '../dashboard-api.ts';
import { choiceOf, type Filter } from '../list/filters.ts';
import type { Offer, Offers } from '../merchant-api.ts';
import type { Mode, Route } from '../route.ts';

/** The newest 100 offers, and the one that is known already, which may be older. */
export function useOffers(mode: Mode, known: string | null, isActive = false): readonly Offer[] {
  const newest = useLoad<Offers>(`/${mode}/offers?limit=100${isActive ? '&active=true' : ''}`).value?.offers ?? [];
  const chosen = useLoad<Offer>(known === null ? null : `/${mode}/offers/${known}`).value;
  if (chosen === null || newest.some(({ id }) => id === chosen.id)) return newest;
  return [chosen, ...newest];
}

/** Picks one of them by name. */
export function useOfferFilter({ mode, query }: Route): Filter {
  const offers = useOffers(mode, query.get('offerId') || null);
  return choiceOf(
    'offerId',
    'Offer',
    offers.map(({ id, name }) => [id, name]),
  );
}
