import { ownApi } from '../ui/own-api.ts';

/** All requests of the page: the portal's own API, and nothing else (docs/rules.md, "Portal"). */
export const { get, post, remove } = ownApi('portal');

export function pathOf(subscriptionId: string): `/${string}` {
  return `/subscriptions/${encodeURIComponent(subscriptionId)}`;
}
