import type { FormField } from '../../ui/fields.tsx';

/** A filter of a list: its name in the address of the page. */
export type Filter = FormField;

/** A filter that takes one of these, or all. */
export function choiceOf(name: string, label: string, options: NonNullable<FormField['options']>): Filter {
  return { name, label, options: [['', 'All'], ...options] };
}

/** What every list takes. Days are those of UTC, as in the API. */
export const CREATED_FILTERS: readonly Filter[] = [
  { name: 'from', label: 'Created from (UTC)', type: 'date' },
  { name: 'to', label: 'Created to (UTC)', type: 'date' },
];

/** One entry of the merchant's notes. */
export const METADATA_FILTER: Filter = { name: 'metadata', label: 'Metadata', placeholder: 'order=1001' };

/** Why a subscription may bring no next payment. */
export const ATTENTIONS = [
  ['will_not_renew', 'Will not renew'],
  ['approval_missing', 'Approval missing'],
  ['balance_missing', 'Balance missing'],
] as const;

/** What a link from another page names, and nobody types. */
export const LINKED = {
  customerId: ['customer', 'customers'],
  subscriptionId: ['subscription', 'subscriptions'],
  offerId: ['offer', 'offers'],
} as const;

/** The filters in the address of a page, as the API takes them. */
export function apiQuery(query: URLSearchParams, filters: readonly Filter[]): URLSearchParams {
  const names = new Set([...filters.map(({ name }) => name), ...Object.keys(LINKED)]);
  return new URLSearchParams(
    [...names].flatMap((name) => {
      const value = query.get(name);
      return value === null || value === '' ? [] : [parameterOf(name, value)];
    }),
  );
}

function parameterOf(name: string, value: string): [string, string] {
  switch (name) {
    case 'from':
      return ['created[gte]', `${value}T00:00:00.000Z`];
    case 'to':
      return ['created[lte]', `${value}T23:59:59.999Z`];
    case 'metadata': {
      const [key = '', ...rest] = value.split('=');
      return [`metadata[${key}]`, rest.join('=')];
    }
    default:
      return [name, value];
  }
}

/** The filters of an address without its page, in one order, so that two can be compared. */
export function filtersIn(query: URLSearchParams): { readonly [name: string]: string } {
  const set = [...query].filter(([name, value]) => name !== 'start' && value !== '');
  return Object.fromEntries(set.sort(([one], [other]) => one.localeCompare(other)));
}
