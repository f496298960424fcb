import { openApiDocument } from '../../src/api/openapi/document.ts';
import { ApiDocument, type Operation } from '../../tools/fuzz/document.ts';

interface Sent {
  readonly method: string;
  /** Below `{base_url}`, with its query. */
  readonly path: string;
  /** The sent body: text unchanged, anything else as JSON; undefined for none. */
  readonly body?: unknown;
}

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

const DEFAULT_PUBLIC_URL = 'http://127.0.0.1:3000';

/** One per test file, made on first use. The service's address does not affect its verdicts. */
const kept = new Map<string, ApiDocument>();

export function publishedAt(publicUrl: string = DEFAULT_PUBLIC_URL): ApiDocument {
  const made = kept.get(publicUrl) ?? new ApiDocument(openApiDocument({ publicUrl }));
  kept.set(publicUrl, made);
  return made;
}

/**
 * Throws if the document does not have this answer for the request, or if the service accepted a request that the
 * document does not allow.
 */
export function checkExchange(document: ApiDocument, sent: Sent, { status, headers, body }: Answered): void {
  const operation = document.find(sent.method, bareOf(sent));
  if (operation === null) {
    if (status === 404) return;
    throw new Error(`${sent.method} ${sent.path} is not in the document, but answered ${status}`);
  }
  const faults = document.faultsOfAnswer(operation, { status, headers: [...headers] }, body);
  if (status < 300) faults.push(...faultsOfRequest(document, operation, sent, body));
  if (faults.length > 0) throw new Error(`${sent.method} ${sent.path} ${status}: ${faults.join('\n')}`);
}

/** As `fetch`; rejects as `checkExchange` throws, for requests below `/v1`. */
export async function checkedFetch(request: Request): Promise<Response> {
  const { method, url } = request;
  const sent = await request.clone().text();
  const response = await fetch(request);
  const { pathname, search } = new URL(url);
  if (!pathname.startsWith('/v1/')) return response;
  const text = await response.clone().text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const body: unknown = isJson ? JSON.parse(text) : text;
  checkExchange(
    publishedAt(),
    { method, path: pathname.replace(/^\/v1/, '') + search, body: sent },
    { status: response.status, headers: response.headers, body },
  );
  return response;
}

function faultsOfRequest(document: ApiDocument, operation: Operation, { path, body }: Sent, answered: unknown) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const json: unknown = text === undefined || text === '' ? undefined : JSON.parse(text);
  return document.faultsOfRequest(operation, new URLSearchParams(path.split('?')[1] ?? ''), json, answered);
}

function bareOf({ path }: Sent): string {
  return path.split('?')[0] ?? '';
}
