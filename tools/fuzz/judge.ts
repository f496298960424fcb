import { isDeepStrictEqual } from 'node:util';
import { unknownCase } from '../../machines/unknown-case.ts';
import { FREE_FIELDS } from './audit.ts';
import type { Exchange, Outcome } from './connection.ts';
import type { ApiDocument, Operation } from './document.ts';
import { type Fault, fault } from './fault.ts';
import { type Resource, resourcesIn } from './possessions.ts';
import { type Owners, type Tenant, tagOf } from './tenants.ts';
import type { Wire } from './wire.ts';

/** The sender of a request, and the texts that it must not see. */
export interface Asker {
  readonly tenant: Tenant;
  readonly owners: Owners;
  readonly secrets: readonly string[];
}

/** The result of a request: its answer, parsed if it is JSON, and its faults. */
export interface Judged {
  readonly operation: Operation | null;
  readonly exchange: Exchange | null;
  readonly body: unknown;
  readonly faults: readonly Fault[];
}

/** Headers that any answer may have, beside the documented ones. */
const OF_HTTP: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'cache-control',
  'x-content-type-options',
  'x-request-id',
  'x-ignored-fields',
  'date',
  'connection',
  'keep-alive',
]);

const SUCCESS_MAX = 299;
const IGNORED_BYTES_MAX = 256;

/** Judges one answer by the document and by the rules that need no document. */
export function judge(document: ApiDocument, wire: Wire, outcome: Outcome, asker: Asker): Judged {
  const nothing = { operation: operationOf(document, wire), exchange: null, body: null };
  switch (outcome.kind) {
    case 'late':
      return { ...nothing, faults: [fault('is in time', `no answer after ${Math.round(outcome.ms)} ms`)] };
    case 'closed':
      return { ...nothing, faults: wire.isSound ? [fault('is answered', `closed after «${outcome.got}»`)] : [] };
    case 'answered':
      return judgeAnswer(document, wire, outcome.exchange, asker);
    default:
      return unknownCase(outcome, 'outcome');
  }
}

function judgeAnswer(document: ApiDocument, wire: Wire, exchange: Exchange, asker: Asker): Judged {
  const operation = operationOf(document, wire);
  const parsed = wire.isHead ? { isJson: true, value: null } : jsonIn(exchange.body);
  if (!parsed.isJson) {
    const what = `the body is not JSON: ${exchange.body.subarray(0, 200).toString('latin1')}`;
    return { operation, exchange, body: null, faults: [fault('is a proper answer', what)] };
  }
  const body = parsed.value;
  const faults = [
    ...faultsOfForm(wire, exchange, body),
    ...(wire.isHead ? [] : faultsOfStatus(document, operation, wire, exchange, body)),
    ...faultsOfTenancy(exchange, body, asker, wire),
  ];
  if (operation !== null && exchange.status <= SUCCESS_MAX) {
    faults.push(
      ...faultsOfRequest(document, operation, wire, body),
      ...faultsOfKeeping(operation, wire, exchange, body),
    );
  }
  return { operation, exchange, body, faults };
}

/** The operation of a method and target; null: the document has none. */
function operationOf(document: ApiDocument, { method, target }: Wire): Operation | null {
  const path = target.replace(/^http:\/\/[^/]*/, '').split(/[?#]/)[0] ?? '';
  return path.startsWith('/v1/') ? document.find(method, path.slice('/v1'.length)) : null;
}

function faultsOfForm({ isHead }: Wire, { status, headers, body }: Exchange, parsed: unknown): Fault[] {
  const found: string[] = [];
  const valuesOf = (name: string) => headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
  const [type] = valuesOf('content-type');
  if (type !== 'application/json; charset=utf-8') found.push(`Content-Type is ${type}`);
  const ids = valuesOf('x-request-id');
  if (ids.length !== 1 || !/^req_[0-9a-f-]{36}$/.test(ids[0] ?? '')) found.push(`X-Request-Id is ${ids.join(' and ')}`);
  for (const ignored of valuesOf('x-ignored-fields')) {
    if (!/^[\x20-\x7e]+$/.test(ignored) || ignored.length > IGNORED_BYTES_MAX)
      found.push(`X-Ignored-Fields is ${ignored}`);
  }
  const strange = headers
    .map(([name]) => name)
    .filter((name) => !OF_HTTP.has(name.toLowerCase()) && !isDocumented(name));
  if (strange.length > 0) found.push(`it has the headers ${strange.join(', ')}`);
  if (status >= 400 && !isHead && !isError(parsed))
    found.push(`an error is not {"error": …}: ${body.toString('utf8')}`);
  if (/node_modules|\.ts:\d|\bat \S+ \(/.test(body.toString('latin1')))
    found.push('the body shows internals of the service');
  return found.map((what) => fault('is a proper answer', what));
}

/** Headers that the document names for some answers; the document judges whether they belong to this one. */
function isDocumented(name: string): boolean {
  return /^(retry-after|x-ratelimit-(limit|remaining|reset|scope)|idempotency-mismatch|link|vary)$/i.test(name);
}

function isError(body: unknown): boolean {
  return (
    typeof body === 'object' &&
    body !== null &&
    Object.keys(body).length === 1 &&
    'error' in body &&
    typeof body.error === 'string' &&
    body.error !== ''
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
  if (!wire.isSound && (status === 400 || status === 404)) return [];
  if (operation === null) {
    return status === 404 || !wire.isSound
      ? []
      : [fault('is a documented status', `${status} for a path that is not documented`)];
  }
  if (status === 500) return [fault('is a documented status', '500: the service failed')];
  if (!operation.statuses.includes(status)) {
    return [fault('is a documented status', `${operation.id} does not document ${status}`)];
  }
  const faults = document.faultsOfAnswer(operation, exchange, body).map((what) => fault('is as documented', what));
  return [...faults, ...faultsOfKey(operation, wire, exchange)];
}

/** A bad key opens nothing, a good key is never refused, and a live key does not open the sandbox. */
function faultsOfKey(operation: Operation, wire: Wire, { status, body }: Exchange): Fault[] {
  const wrong = (what: string) => [fault('has the right status for its key', what)];
  if (!wire.isSound) return [];
  if (!wire.hasGoodKey) {
    if (status === 429) return [];
    const isRight = status === 401 && body.toString('utf8') === '{"error":"Unauthorized"}';
    return isRight ? [] : wrong(`${status} with a key that is none; expected the one 401`);
  }
  if (status === 401) return wrong('401 with a good key');
  const isSandbox = operation.template.startsWith('/sandbox/');
  return isSandbox && wire.mode === 'live' && status !== 403 ? wrong(`${status} with a live key; expected 403`) : [];
}

function faultsOfTenancy(exchange: Exchange, body: unknown, { tenant, owners, secrets }: Asker, wire: Wire): Fault[] {
  const wrong = (what: string) => fault('shows no data of others', what);
  const text = `${exchange.headers.map((header) => header.join(': ')).join('\n')}\n${exchange.body.toString('utf8')}`;
  const faults = secrets
    .filter((secret) => text.includes(secret))
    .map((secret) => wrong(`the answer contains «${secret}»`));
  if (exchange.status > SUCCESS_MAX) return faults;
  for (const resource of resourcesIn(body)) faults.push(...faultsOfResource(resource, tenant, owners).map(wrong));
  // A reference to another tenant's resource would give the sender a share in it.
  for (const id of idsReferredTo(body)) {
    const owner = owners.ownerOf(id);
    if (owner !== null && owner !== tagOf(tenant)) faults.push(wrong(`it refers to ${id}, which belongs to ${owner}`));
    if (wire.named.has(id)) faults.push(wrong(`it accepted ${id}, which belongs to another tenant`));
  }
  return faults;
}

function faultsOfResource(resource: Resource, tenant: Tenant, owners: Owners): string[] {
  const { id, merchantId = tenant.merchantId, isSandbox = tenant.mode === 'test' } = resource;
  if (merchantId !== tenant.merchantId) return [`${id} is ${String(merchantId)}'s`];
  if (isSandbox !== (tenant.mode === 'test')) return [`${id} has isSandbox ${String(isSandbox)}`];
  if (!owners.claim(id, tenant)) return [`${id} belongs to ${owners.ownerOf(id)}`];
  return [];
}

const REFERENCES = ['customerId', 'offerId', 'offerPriceId', 'priceId', 'subscriptionId', 'paymentId'] as const;

function idsReferredTo(body: unknown): string[] {
  const bare = typeof body === 'object' && body !== null ? [body] : [];
  return [...bare, ...resourcesIn(body)].flatMap((each) =>
    REFERENCES.flatMap((name) => {
      const id: unknown = Reflect.get(each, name);
      return typeof id === 'string' ? [id] : [];
    }),
  );
}

/** The document must allow every request that the service accepted. */
function faultsOfRequest(
  document: ApiDocument,
  operation: Operation,
  { target, method, body }: Wire,
  answered: unknown,
): Fault[] {
  const query = new URLSearchParams(target.includes('?') ? target.slice(target.indexOf('?') + 1) : '');
  const sent = method === 'GET' || body === null || body.length === 0 ? undefined : jsonIn(body).value;
  return document
    .faultsOfRequest(operation, query, sent, answered)
    .map((what) => fault('accepts only documented requests', `${operation.id} accepted it, but ${what}`));
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

function faultsOfKeeping(operation: Operation, { body }: Wire, { status }: Exchange, answered: unknown): Fault[] {
  if (status !== 201 || !operation.id.startsWith('create') || body === null) return [];
  const sent = jsonIn(body).value;
  if (typeof sent !== 'object' || sent === null || typeof answered !== 'object' || answered === null) return [];
  return KEPT.flatMap((field) => {
    const value: unknown = Reflect.get(sent, field);
    if (value === undefined || value === null || !(field in answered)) return [];
    // JSON has only one zero, so -0 becomes 0.
    const isSame = isDeepStrictEqual(JSON.parse(JSON.stringify(value)), Reflect.get(answered, field));
    return isSame
      ? []
      : [fault('is kept as sent', `${field} is answered as ${JSON.stringify(Reflect.get(answered, field))}`)];
  });
}

export function jsonIn(bytes: Buffer): { readonly isJson: boolean; readonly value: unknown } {
  try {
    return { isJson: true, value: JSON.parse(new TextDecoder().decode(bytes)) };
  } catch {
    return { isJson: false, value: null };
  }
}
