import type { JsonObject } from '../../machines/json.ts';

/**
 * The merchant's settings for after the payment: the parts of its free-form map that a page knows
 * (docs/guides/checkout.md, "Configure the page").
 */
export interface AfterCompletion {
  readonly message: string | null;
  readonly redirect: URL | null;
}

/** Only http and https addresses count, so that no code of a merchant runs here. */
export function afterCompletionOf(map: JsonObject | null): AfterCompletion {
  const message = map?.['message'];
  const [address] = [map?.['redirect'], map?.['redirectUrl'], map?.['url']].filter((each) => typeof each === 'string');
  const url = address !== undefined && URL.canParse(address) ? new URL(address) : null;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return { message: typeof message === 'string' ? message : null, redirect: isWeb ? url : null };
}

/** The address with the ids of the new resources, as query parameters; the merchant's own parameters stay. */
export function withIds(redirect: URL, ids: { readonly [name: string]: string | null | undefined }): URL {
  const url = new URL(redirect);
  for (const [name, id] of Object.entries(ids)) if (id != null) url.searchParams.set(name, id);
  return url;
}
