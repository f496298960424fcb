import { createStore } from '@xstate/store';
import type { ActorKind } from '../../src/staff/wire.ts';

/** The present page of the console, in the fragment of the address, so that it can be saved, shared and returned to. */
export type Route =
  | { readonly page: 'front' }
  | { readonly page: 'search'; readonly q: string }
  | { readonly page: 'actor'; readonly kind: ActorKind; readonly id: string; readonly tab: string | null };

const PLURALS: { readonly [K in ActorKind]: string } = {
  subscription: 'subscriptions',
  payment: 'payments',
  delivery: 'deliveries',
};

function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [plural, id] = path.split('/');
  const parameters = new URLSearchParams(query);
  if (plural === 'search') return { page: 'search', q: parameters.get('q') ?? '' };
  const kind = kindOf(plural ?? '');
  if (kind === null || id === undefined || id === '') return { page: 'front' };
  const decoded = decodedOf(id);
  return decoded === null ? { page: 'front' } : { page: 'actor', kind, id: decoded, tab: parameters.get('tab') };
}

/** null: not an address of the console, perhaps an incomplete one. */
function decodedOf(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

function kindOf(plural: string): ActorKind | null {
  switch (plural) {
    case 'subscriptions':
      return 'subscription';
    case 'payments':
      return 'payment';
    case 'deliveries':
      return 'delivery';
    default:
      return null;
  }
}

/** The address of an actor's page, and its path below `/staff/api`. */
export function pathOf(kind: ActorKind, id: string): `/${string}` {
  return `/${PLURALS[kind]}/${encodeURIComponent(id)}`;
}

export function searchHref(q: string): string {
  return `#/search?q=${encodeURIComponent(q)}`;
}

/** The address for a resource of any kind: its own page, else a search; null: none. */
export function hrefOf(kind: string, id: string): string | null {
  switch (kind) {
    case 'subscription':
    case 'payment':
    case 'delivery':
      return `#${pathOf(kind, id)}`;
    case 'chain':
      return null;
    default:
      return searchHref(id);
  }
}

/** The address of a tab of an actor's page. */
export function tabHref(kind: ActorKind, id: string, tab: string): string {
  return `#${pathOf(kind, id)}?tab=${encodeURIComponent(tab)}`;
}

/** `visit` changes with each navigation, also with one to the same place. */
export const route = createStore({
  context: { route: parseRoute(location.hash), visit: 1 },
  on: { moved: ({ visit }, { to }: { to: Route }) => ({ route: to, visit: visit + 1 }) },
});

/** Goes to an address of the console; for the present address, its data is loaded again. */
export function go(href: string): void {
  if (location.hash === href) route.trigger.moved({ to: parseRoute(href) });
  else location.hash = href;
}

window.addEventListener('hashchange', () => route.trigger.moved({ to: parseRoute(location.hash) }));
