import { queryOf } from '../../ui/own-api.ts';
import { useLoad } from '../../ui/use-load.ts';
import { get } from '../dashboard-api.ts';
import { choiceOf, type Filter } from '../list/list-page.tsx';
import type { Offer, Offers } from '../merchant-api.ts';
import type { Mode } from '../route.ts';

/** Every offer, however many there are, in the order of their names; null until all are loaded. */
export function useOffers(mode: Mode): readonly Offer[] | null {
  const { value, error } = useLoad<readonly Offer[], Mode>(allOffers, mode);
  // Without them a page can still show what it has.
  return error === null ? value : [];
}

async function allOffers(mode: Mode): Promise<Offer[]> {
  const all: Offer[] = [];
  for (let hasMore = true; hasMore; ) {
    const query = queryOf({ limit: '100', startingAfter: all.at(-1)?.id ?? null });
    const page: Offers = await get<Offers>(`/${mode}/offers${query}`);
    all.push(...page.offers);
    hasMore = page.hasMore;
  }
  return all.sort(({ name: one }, { name: other }) => one.localeCompare(other));
}

/** Picks one of them by name. */
export function useOfferFilter(mode: Mode): Filter {
  const offers = useOffers(mode) ?? [];
  return choiceOf(
    'offerId',
    'Offer',
    offers.map(({ id, name }) => [id, name]),
  );
}
