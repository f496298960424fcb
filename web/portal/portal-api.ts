import type { PortalSession } from '../../src/portal/wire.ts';
import { ownApi } from '../ui/own-api.ts';
import { createSession } from '../ui/session.ts';
import { usePages as usePagesOf } from '../ui/use-pages.ts';

export const { session } = createSession<PortalSession>('tideline-portal-session');

/** All requests of the page: the portal's own API, and nothing else (docs/rules.md, "Portal"). */
export const { get, post, remove, useLoad } = ownApi('portal', () => session.trigger.ended());

export function pathOf(subscriptionId: string): `/${string}` {
  return `/subscriptions/${encodeURIComponent(subscriptionId)}`;
}

/** A list at a path of the API, page by page. */
export function usePages<Answer extends { readonly next: string | null }, Item>(
  path: `/${string}`,
  itemsOf: (answer: Answer) => readonly Item[],
) {
  const nextOf = (answers: readonly Answer[]) => {
    const next = answers.at(-1)?.next ?? null;
    return next && `startingAfter=${encodeURIComponent(next)}`;
  };
  return usePagesOf<Answer, Item>(get, path, itemsOf, nextOf);
}
