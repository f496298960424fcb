import { isDeepStrictEqual } from 'node:util';
import type { Exchange, Outcome } from './connection.ts';
import type { ApiDocument, Operation } from './document.ts';
import { FREE_FIELDS } from './known.ts';
import type { Wire } from './request.ts';
import type { Owners, Tenant } from './tenants.ts';

/** The rules for every answer. */
export type Rule =
  | 'is answered'
  | 'is in time'
  | 'is a documented status'
  | 'is as documented'
  | 'is a proper answer'
  | 'has the right status for its key'
  | 'accepts only documented requests'
  | 'shows no data of others'
  | 'is kept as sent'
  | 'is read back as written'
  | 'changes no prototype'
  | 'causes no unhandled error'
  | 'does not harm the service'
  | 'changes no data of others'
  | 'stores no unexpected data';

export interface Fault {
  readonly rule: Rule;
  readonly what: string;
}

export function faults(rule: Rule, what: readonly string[]): Fault[] {
  return what.map((each) => ({ rule, what: each }));
}

/** The sender of a request, and the texts that it must not see. */
export interface Asker {
  readonly tenant: Tenant;
  readonly owners: Owners;
  readonly secrets: readonly string[];
  /** Ids of others that it has sent: an answer that contains one may have it from a free text. */
  readonly named: ReadonlySet<string>;
}

/** The result of a request: its answer, parsed if it is JSON, and its faults. */
export interface Judged {
  readonly operation: Operation | null;
  readonly exchange: Exchange | null;
  readonly body: unknown;
  readonly faults: readonly Fault[];
}

/** Headers that any answer may have. The document judges the others. */
const OF_HTTP =
  /^(content-(type|length)|cache-control|x-content-type-options|x-request-id|x-ignored-fields|date|connection|keep-alive|retry-after|x-ratelimit-(limit|remaining|reset|scope)|idempotency-(mismatch|replayed)|link|vary)$/i;

const IGNORED_BYTES_MAX = 256;

/** Judges one answer by the document and by the rules that need no document. */
export function judge(document: ApiDocument, wire: Wire, outcome: Outcome, asker: Asker): Judged {
  const operation = operationOf(document, wire);
  const nothing = { operation, exchange: null, body: null };
  if (outcome === 'late') return { ...nothing, faults: faults('is in time', ['it has no answer']) };
  if (outcome === 'closed') {
    return { ...nothing, faults: faults('is answered', wire.isSound ? ['the connection was closed'] : []) };
  }
  const exchange = outcome;
  const body = wire.isHead ? null : jsonIn(exchange.body);
  const isSuccess = operation !== null && exchange.status < 300;
  return {
    operation,
    exchange,
    body,
    faults: [
      ...faults('is a proper answer', flawsOf(wire, exchange, body)),
      ...(wire.isHead || body === undefined ? [] : faultsOfStatus(document, operation, wire, exchange, body)),
      ...faults('shows no data of others', leaksOf(wire, exchange, body, asker)),
      ...(isSuccess ? faultsOfSuccess(document, operation, wire, exchange, body) : []),
    ],
  };
}

/** The operation of a method and target; null: the document has none. */
function operationOf(document: ApiDocument, { method, target }: Wire): Operation | null {
  const path = target.replace(/^http:\/\/[^/]*/, '').split(/[?#]/)[0] ?? '';
  return path.startsWith('/v1/') ? document.find(method, path.slice('/v1'.length)) : null;
}

function flawsOf({ isHead }: Wire, { status, headers, body }: Exchange, parsed: unknown): string[] {
  const text = body.toString('utf8');
  if (parsed === undefined) return [`the body is not JSON: ${text.slice(0, 200)}`];
  const allOf = (name: string) => headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
  const type = allOf('content-type').join();
  const requestId = allOf('x-request-id').join();
  const ignored = allOf('x-ignored-fields').filter(
    (value) => !/^[\x20-\x7e]+$/.test(value) || value.length > IGNORED_BYTES_MAX,
  );
  const strange = headers.map(([name]) => name).filter((name) => !OF_HTTP.test(name));
  return [
    ...(type === 'application/json; charset=utf-8' ? [] : [`Content-Type is ${type}`]),
    ...(/^req_[0-9a-f-]{36}$/.test(requestId) ? [] : [`X-Request-Id is ${requestId}`]),
    ...ignored.map((value) => `X-Ignored-Fields is ${value}`),
    ...strange.map((name) => `it has the header ${name}`),
    ...(status < 400 || isHead || isError(parsed) ? [] : [`an error is not {"error": …}: ${text}`]),
    ...(/node_modules|\.ts:\d|\bat \S+ \(/.test(text) ? ['the body shows internals of the service'] : []),
  ];
}

function isError(body: unknown): boolean {
  const fields = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  return (
    fields.length === 1 && fields.every(([key, value]) => key === 'error' && typeof value === 'string' && value !== '')
  );
}

function faultsOfStatus(
  document: ApiDocument,
  operation: Operation | null,
  wire: Wire,
  exchange: Exchange,
  body: unknown,
): Fault[] {
  const { status } = exchange;
  // Node or the service may refuse malformed HTTP with 400 or 404, whatever the request was.
  if (!wire.isSound && (operation === null || status === 400 || status === 404)) return [];
  if (operation === null) {
    return faults('is a documented status', status === 404 ? [] : [`${status} for a path that is not documented`]);
  }
  if (status === 500 || !operation.statuses.includes(status)) {
    return faults('is a documented status', [`${operation.id} must not answer ${status}`]);
  }
  return [
    ...faults('is as documented', document.faultsOfAnswer(operation, exchange, body)),
    ...faults('has the right status for its key', wire.isSound ? wrongsOfKey(operation, wire, exchange) : []),
  ];
}

/** A bad key opens nothing, a good key is never refused, and a live key does not open the sandbox. */
function wrongsOfKey({ template }: Operation, { hasGoodKey, mode }: Wire, { status, body }: Exchange): string[] {
  if (!hasGoodKey) {
    const isRight = status === 429 || (status === 401 && body.toString('utf8') === '{"error":"Unauthorized"}');
    return isRight ? [] : [`${status} with a key that is none; expected the one 401`];
  }
  if (status === 401) return ['401 with a good key'];
  const isForbidden = template.startsWith('/sandbox/') && mode === 'live';
  return isForbidden && status !== 403 ? [`${status} with a live key; expected 403`] : [];
}

function leaksOf(
  { target }: Wire,
  { status, headers, body }: Exchange,
  parsed: unknown,
  { tenant, owners, secrets, named }: Asker,
) {
  const text = `${headers.map((header) => header.join(': ')).join('\n')}\n${body.toString('utf8')}`;
  const shown = [...secrets.filter((secret) => text.includes(secret)), ...owners.othersIn(text, tenant)];
  return [
    ...shown.filter((one) => !named.has(one)).map((one) => `the answer contains «${one}»`),
    ...(status < 300 ? owners.claim(parsed, tenant) : []),
    ...(status < 300 ? owners.othersIn(target.split('?')[0] ?? '', tenant) : []).map((id) => `it is about ${id}`),
  ];
}

/** Fields of a create whose answer must have them as sent. */
const KEPT = [
  ...FREE_FIELDS,
  'name',
  'description',
  'productRef',
  'reference',
  'merchantReferenceId',
  'email',
  'phone',
  'idempotencyKey',
] as const;

/** The document must allow every request that the service accepted, and the service must keep the sent values. */
function faultsOfSuccess(document: ApiDocument, operation: Operation, wire: Wire, exchange: Exchange, body: unknown) {
  const query = new URLSearchParams(wire.target.split('?').slice(1).join('?'));
  const hasBody = wire.method !== 'GET' && wire.body !== null && wire.body.length > 0;
  const sent = hasBody ? (jsonIn(wire.body) ?? null) : undefined;
  const undocumented = document.faultsOfRequest(operation, query, sent, body);
  const isCreated = exchange.status === 201 && operation.id.startsWith('create');
  const lost = (isCreated ? KEPT : []).filter((field) => {
    const [was, is] = [fieldOf(sent, field), fieldOf(body, field)];
    return was !== undefined && was !== null && is !== undefined && !isDeepStrictEqual(was, is);
  });
  return [
    ...faults(
      'accepts only documented requests',
      undocumented.map((what) => `${operation.id} accepted it, but ${what}`),
    ),
    ...faults(
      'is kept as sent',
      lost.map((field) => `${field} is answered as ${JSON.stringify(fieldOf(body, field))}`),
    ),
  ];
}

/** JSON has only one zero, so -0 becomes 0. */
function fieldOf(value: unknown, field: string): unknown {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
  return found === undefined ? undefined : JSON.parse(JSON.stringify(found));
}

/** undefined: this is no JSON. */
export function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
