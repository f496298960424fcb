import { hashRoute } from '../ui/hash-route.ts';
import { queryOf } from '../ui/own-api.ts';

declare const shown: unique symbol;

/**
 * The environment that the page shows. Only the address makes one (`isMode`), and each call of the merchant API needs
 * one (`dashboard-api.ts`): the compiler refuses a page that writes `/test/…` itself.
 */
export type Mode = ('test' | 'live') & { readonly [shown]: true };

export const MODES = ['test', 'live'].filter(isMode);

function isMode(text: string | undefined): text is Mode {
  return text === 'test' || text === 'live';
}

/** The pages, by the first part of the path below the environment. */
export const PAGES = [
  { page: 'home', label: 'Home' },
  { page: 'offers', label: 'Offers' },
  { page: 'customers', label: 'Customers' },
  { page: 'subscriptions', label: 'Subscriptions' },
  { page: 'payments', label: 'Payments' },
  { page: 'coupons', label: 'Coupons' },
  { page: 'revenue', label: 'Revenue' },
  { page: 'developers', label: 'Developers' },
  { page: 'settings', label: 'Settings' },
] as const;

/** The results of the search are no page of the navigation. */
export type Page = (typeof PAGES)[number]['page'] | 'search';

/**
 * The present page, in the fragment of the address, so that it can be saved, shared and returned to:
 * `#/test/offers/offer_…?tab=…`.
 */
export interface Route {
  readonly mode: Mode;
  readonly page: Page;
  /** The resource of the page, or `new`; null: the list. */
  readonly id: string | null;
  readonly query: URLSearchParams;
}

export interface ResourceProps {
  readonly mode: Mode;
  readonly id: string;
}

export function labelOf(page: Page): string {
  return PAGES.find((each) => each.page === page)?.label ?? page;
}

function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [mode, page, id] = path.split('/');
  const known = page === 'search' ? page : (PAGES.find((each) => each.page === page)?.page ?? 'home');
  return { mode: modeOf(mode), page: known, id: id || null, query: new URLSearchParams(query) };
}

/** An address without an environment is of test. */
function modeOf(text: string | undefined): Mode {
  return isMode(text) ? text : modeOf('test');
}

/** The address of a page. Ids are of a form that needs no encoding; empty values of the query are left out. */
export function hrefOf(
  mode: Mode,
  page: Page,
  id: string | null = null,
  query: { readonly [name: string]: string } = {},
): string {
  return `#/${mode}/${page}${id === null ? '' : `/${id}`}${queryOf(query)}`;
}

export const { route, go } = hashRoute(parseRoute);
