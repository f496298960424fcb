import type { ActorKind } from '../../src/staff/wire.ts';
import { hashRoute } from '../ui/hash-route.ts';

/** The present page of the console, in the fragment of the address, so that it can be saved, shared and returned to. */
export type Route =
  | { readonly page: 'front' }
  | { readonly page: 'search'; readonly q: string }
  | { readonly page: 'trouble'; readonly name: string }
  | { readonly page: 'merchants'; readonly status: MerchantStatus | null }
  | { readonly page: 'merchant'; readonly id: string; readonly tab: string | null; readonly mode: Mode }
  | { readonly page: 'customer'; readonly id: string }
  | { readonly page: 'offer'; readonly id: string }
  | { readonly page: 'actor'; readonly kind: ActorKind; readonly id: string; readonly tab: string | null };

export type MerchantStatus = 'active' | 'suspended';
/** The environment of the resources that a merchant's page lists. */
export type Mode = 'live' | 'test';

/** The kinds with a page, and the first part of their paths below `/staff/api`; earlier addresses of pages began so. */
const PLURALS = {
  subscription: 'subscriptions',
  payment: 'payments',
  delivery: 'deliveries',
  merchant: 'merchants',
  customer: 'customers',
  offer: 'offers',
} as const;

type Kind = keyof typeof PLURALS;

/** The same kinds by the prefix of their ids. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['sub', 'subscription'],
  ['pay', 'payment'],
  ['dlv', 'delivery'],
  ['mrc', 'merchant'],
  ['cust', 'customer'],
  ['offer', 'offer'],
]);

function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [plural = '', encoded = ''] = path.split('/');
  const parameters = new URLSearchParams(query);
  const own = kindOfId(plural);
  if (own !== null) return resourceRoute(own, plural, parameters);
  if (plural === 'search') return { page: 'search', q: parameters.get('q') ?? '' };
  if (plural === 'merchants' && encoded === '') {
    return { page: 'merchants', status: merchantStatusOf(parameters.get('status')) };
  }
  const id = decodedOf(encoded);
  if (id === null || id === '') return { page: 'front' };
  if (plural === 'trouble') return { page: 'trouble', name: id };
  const kind = [...KINDS.values()].find((each) => PLURALS[each] === plural);
  return kind === undefined ? { page: 'front' } : resourceRoute(kind, id, parameters);
}

function resourceRoute(kind: Kind, id: string, parameters: URLSearchParams): Route {
  const tab = parameters.get('tab');
  switch (kind) {
    case 'merchant':
      return { page: 'merchant', id, tab, mode: parameters.get('mode') === 'test' ? 'test' : 'live' };
    case 'customer':
    case 'offer':
      return { page: kind, id };
    default:
      return { page: 'actor', kind, id, tab };
  }
}

/** null: any. */
export function merchantStatusOf(text: string | null): MerchantStatus | null {
  return text === 'active' || text === 'suspended' ? text : null;
}

/** null: not an address of the console, perhaps an incomplete one. */
function decodedOf(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** The path of an actor below `/staff/api`. */
export function pathOf(kind: ActorKind, id: string): `/${string}` {
  return `/${PLURALS[kind]}/${encodeURIComponent(id)}`;
}

function isKind(kind: string): kind is Kind {
  return Object.hasOwn(PLURALS, kind);
}

export function searchHref(q: string): string {
  return `#/search?q=${encodeURIComponent(q)}`;
}

/** The address for a resource of any kind: its own page, else a search; null: none. */
export function hrefOf(kind: string, id: string): string | null {
  if (isKind(kind)) return `#/${encodeURIComponent(id)}`;
  return kind === 'chain' ? null : searchHref(id);
}

/** The address for an id: the page of its kind, else a search. */
export function hrefOfId(id: string): string {
  return hrefOf(kindOfId(id) ?? '', id) ?? searchHref(id);
}

function kindOfId(id: string): Kind | null {
  return KINDS.get(id.slice(0, Math.max(0, id.indexOf('_')))) ?? null;
}

/** The address of the list of one kind of trouble. */
export function troubleHref(name: string): string {
  return `#/trouble/${encodeURIComponent(name)}`;
}

/** The address of the list of merchants. */
export function merchantsHref(status: MerchantStatus | null): string {
  return status === null ? '#/merchants' : `#/merchants?status=${status}`;
}

/** The address of a tab of a merchant's page. */
export function merchantHref(id: string, tab: string, mode: Mode): string {
  return `#/${encodeURIComponent(id)}?${new URLSearchParams({ tab, mode })}`;
}

/** The address of a tab of an actor's page. */
export function tabHref(id: string, tab: string): string {
  return `#/${encodeURIComponent(id)}?tab=${encodeURIComponent(tab)}`;
}

export const { route, go } = hashRoute(parseRoute);
