import { useEffect, useState } from 'preact/hooks';
import { queryOf } from '../../ui/own-api.ts';
import { get } from '../dashboard-api.ts';
import type { Offers } from '../merchant-api.ts';
import type { Mode } from '../route.ts';

/** Id and name of every offer, however many there are, in the order of the names; null until all are loaded. */
export function useOfferNames(mode: Mode): readonly (readonly [id: string, name: string])[] | null {
  const [names, setNames] = useState<readonly (readonly [string, string])[] | null>(null);
  useEffect(() => {
    let isWanted = true;
    // Without them the offers of the figures can still be picked.
    allNames(mode)
      .then((all) => isWanted && setNames(all))
      .catch(() => isWanted && setNames([]));
    return () => {
      isWanted = false;
    };
  }, [mode]);
  return names;
}

async function allNames(mode: Mode): Promise<readonly (readonly [string, string])[]> {
  const all: (readonly [string, string])[] = [];
  for (let hasMore = true; hasMore; ) {
    const query = queryOf({ limit: '100', startingAfter: all.at(-1)?.[0] ?? null });
    const page: Offers = await get<Offers>(`/${mode}/offers${query}`);
    all.push(...page.offers.map(({ id, name }) => [id, name] as const));
    hasMore = page.hasMore;
  }
  return all.sort(([, one], [, other]) => one.localeCompare(other));
}
