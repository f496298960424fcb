import type { JsonObject } from '../../machines/json.ts';

/** What a merchant wants to happen afterwards: of its free-form map, what a page understands (docs/guides/checkout.md, "Configure the page"). */
export interface AfterCompletion {
  readonly message: string | null;
  readonly redirect: URL | null;
}

/** Addresses other than http and https are none: nothing of a merchant's runs here. */
export function afterCompletionOf(map: JsonObject | null): AfterCompletion {
  const message = map?.['message'];
  const [address] = [map?.['redirect'], map?.['redirectUrl'], map?.['url']].filter((each) => typeof each === 'string');
  const url = address !== undefined && URL.canParse(address) ? new URL(address) : null;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return { message: typeof message === 'string' ? message : null, redirect: isWeb ? url : null };
}
