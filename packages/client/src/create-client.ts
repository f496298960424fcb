import createFetchClient, { type Client, type ClientOptions } from 'openapi-fetch';
import { resourcesOver } from './resources.ts';
import { RETRY_POLICY, type RetryPolicy } from './retry.ts';
import type { paths } from './schema.ts';
import { Transport } from './transport.ts';

export interface TidelineOptions extends Partial<RetryPolicy> {
  /** `tl_test_…` or `tl_live_…`; the key decides the environment. */
  readonly apiKey: string;
  /** The address of the API: `https://pay.example.com/v1`, or without the version segment. */
  readonly baseUrl: string;
  /** The time limit of one attempt; default: 35 s, because some calls wait up to 25 s for a charge to end. */
  readonly timeoutMs?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Receives a warning about a probable mistake of the caller, once per operation. Default: `console.warn`. */
  readonly warn?: (message: string) => void;
}

const TIMEOUT_MS = 35_000;

/** The merchant API. Every method resolves with the body of a success, and rejects with a `TidelineError` otherwise. */
export type Tideline = ReturnType<typeof resourcesOver> & {
  /** The same API by method and path: openapi-fetch's own client, which throws no errors and repeats nothing. */
  readonly raw: Client<paths>;
};

/**
 * A client of the merchant API with one key.
 *
 * It repeats calls by itself, at most `maxRetries` times (2). After a refusal by a limit it waits for the time that the
 * answer names, if that is at most `maxRetryWaitMs` (60 s). Without an answer it repeats reads, and creates: a create
 * without `idempotencyKey` gets one, which all attempts of the call share. With `idempotencyKey: null` it has none, and
 * is not repeated.
 *
 * @throws TypeError for a malformed key or address
 */
export function createClient(options: TidelineOptions): Tideline {
  const { timeoutMs = TIMEOUT_MS, maxRetries, maxRetryWaitMs, warn = console.warn } = options;
  const fetchOptions: ClientOptions = {
    baseUrl: requireBaseUrl(options.baseUrl),
    headers: { 'X-API-Key': requireKey(options.apiKey) },
    // A key that follows a redirect would reach somebody else.
    redirect: 'manual',
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  };
  const retries = {
    maxRetries: maxRetries ?? RETRY_POLICY.maxRetries,
    maxRetryWaitMs: maxRetryWaitMs ?? RETRY_POLICY.maxRetryWaitMs,
  };
  const resources = resourcesOver(new Transport({ fetchOptions, timeoutMs, retries, warn }));
  return { ...resources, raw: createFetchClient<paths>(fetchOptions) };
}

/** The error never contains the key. */
function requireKey(apiKey: string): string {
  if (/^tl_(test|live)_\w+$/.test(apiKey)) return apiKey;
  throw new TypeError('apiKey is no API key: expected tl_test_… or tl_live_…');
}

function requireBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url && isHttp && url.search === '' && url.hash === '') return baseUrl.replace(/(\/v1)?\/?$/, '/v1');
  throw new TypeError(`baseUrl is ${baseUrl}: expected the address of the API, such as https://pay.example.com/v1`);
}
