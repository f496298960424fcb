import { ApiError } from './api-error.ts';

/** The service's root as an absolute address without a slash at the end, for a page at any path. */
function serviceRoot(): string {
  const root = document.documentElement.dataset['root'] ?? '.';
  return new URL(root, document.baseURI).href.replace(/\/$/, '');
}

/** The absolute address of a path below the root. */
export function serviceUrl(path: `/${string}`): string {
  return `${serviceRoot()}${path}`;
}

/** How far the service's clock is ahead of the local one, by its last answer, in ms. */
let ahead = 0;

/** The time of the service, or up to a second more. The clock of a reader's device can be hours off. */
export function serviceNow(): number {
  return Date.now() + ahead;
}

/** Takes the service's clock from a moment at which it has answered. */
export function noteServiceTime(moment: string): void {
  const date = Date.parse(moment);
  // A header has whole seconds. The later bound is used, so that a page never shows more time than remains.
  if (!Number.isNaN(date)) ahead = date + 1_000 - Date.now();
}

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly body?: unknown;
  readonly headers?: { readonly [name: string]: string };
}

/**
 * A call of this service's own JSON API, below the root: `/checkout/api/…`. The answer counts as the type that the same
 * version of the service declares. Throws an ApiError for every answer without success.
 */
export async function callApi<Answer>(path: `/${string}`, request: ApiRequest = {}): Promise<Answer> {
  const response = await fetchApi(path, request);
  return response.json().catch(() => null);
}

/** As `callApi`, but the body of the answer is left to the caller. */
export async function fetchApi(path: `/${string}`, request: ApiRequest = {}): Promise<Response> {
  const { method = 'GET', body, headers = {} } = request;
  const response = await fetch(serviceUrl(path), {
    method,
    headers: body === undefined ? headers : { 'Content-Type': 'application/json', ...headers },
    body: body === undefined ? null : JSON.stringify(body),
    credentials: 'same-origin',
  }).catch(() => {
    throw new ApiError(0, 'The service does not answer. Check the connection, then try again.');
  });
  noteServiceTime(response.headers.get('Date') ?? '');
  if (response.ok) return response;
  const answer = await response.json().catch(() => null);
  const message = typeof answer?.error === 'string' ? answer.error : `The service answered ${response.status}.`;
  const retryAfter = Number(response.headers.get('Retry-After') ?? Number.NaN);
  throw new ApiError(response.status, message, Number.isFinite(retryAfter) ? retryAfter : null);
}
