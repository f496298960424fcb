import fc from 'fast-check';
import type { ApiDocument, Operation, Parameter } from './document.ts';
import { broken, defects, type Form, type Header, type Keys, PLAIN } from './form.ts';
import { fieldsOf, mutated, mutations } from './hostile.ts';
import { jsonOf, NTH_MAX, plainOf, type Resolve, weighted } from './tokens.ts';
import { ALWAYS, objectsOf, valuesOf } from './values.ts';

/** A drawn request whose ids are not chosen yet. */
export interface Draft {
  readonly operation: Operation;
  readonly mode: 'test' | 'live';
  /** Decides which of the known resources the request is about. */
  readonly nth: number;
  readonly path: object;
  readonly query: object;
  /** undefined: no body. */
  readonly body: unknown;
  readonly form: Form;
}

/** How often an operation is drawn: creating more often than deleting. */
function weightOf({ method, id }: Operation): number {
  if (id === 'createSubscription') return 10;
  if (id.startsWith('sandbox')) return 5;
  if (method === 'POST' && id.startsWith('create')) return 4;
  return method === 'DELETE' ? 1 : 2;
}

/** Requests for these operations. */
export function draftsOf(document: ApiDocument, operations: readonly Operation[]): fc.Arbitrary<Draft> {
  return fc.oneof(
    ...operations.map((operation) => ({ weight: weightOf(operation), arbitrary: draftOf(document, operation) })),
  );
}

/** Mostly friendly, the form that failures shrink to; else one kind of hostility, and sometimes all. */
const hostility = weighted<{ readonly changes: Parameters<typeof mutated>[2]; readonly form: Form }>(
  [8, fc.constant({ changes: [], form: PLAIN })],
  [10, mutations.map((changes) => ({ changes, form: PLAIN }))],
  ...defects.map(([weight, forms]) => [weight, forms.map((form) => ({ changes: [], form }))] as const),
  [1, fc.record({ changes: mutations, form: broken })],
);

function draftOf(document: ApiDocument, operation: Operation): fc.Arbitrary<Draft> {
  const { id, body, isBodyRequired, parameters } = operation;
  const valuesIn = (part: Parameter['in'], odds: readonly [number, number]) =>
    objectsOf(
      parameters
        .filter((one) => one.in === part)
        .map((one) => [one.name, valuesOf(document, { ...one, operationId: id, field: one.name }), odds]),
    );
  const bodies =
    body === null ? fc.constant(undefined) : valuesOf(document, { ...body, operationId: id, field: 'body' });
  const base = fc.record({
    operation: fc.constant(operation),
    mode: fc.constantFrom<Draft['mode'][]>('test', 'test', 'test', 'test', 'live'),
    nth: fc.nat(NTH_MAX),
    path: valuesIn('path', ALWAYS),
    query: valuesIn('query', [1, 2]),
    body: isBodyRequired ? bodies : fc.option(bodies, { freq: 10, nil: undefined }),
  });
  // Hostility is taken away first: while it is there, other parts may be needed for it alone.
  return fc.tuple(hostility, base).map(([{ changes, form }, drawn]) => ({
    ...drawn,
    path: fieldsOf(mutated(drawn.path, 'path', changes)),
    query: fieldsOf(mutated(drawn.query, 'query', changes)),
    body: drawn.body === undefined ? undefined : mutated(drawn.body, 'body', changes),
    form,
  }));
}

/** A request as bytes, with the facts that judge its answer. */
export interface Wire {
  readonly operationId: string;
  readonly mode: 'test' | 'live';
  readonly method: string;
  /** One character per byte. */
  readonly target: string;
  readonly headers: readonly Header[];
  readonly body: Buffer | null;
  readonly bytes: Buffer;
  /** The client closes its half of the connection after these bytes. */
  readonly isLast: boolean;
  /** The answer has no body. */
  readonly isHead: boolean;
  /** Certainly well-formed HTTP: the service itself must answer it and keep the connection. */
  readonly isSound: boolean;
  readonly hasGoodKey: boolean;
  /** The ids and addresses of others in the request. */
  readonly named: ReadonlySet<string>;
}

const HEADER_BYTES_MAX = 14_000;
const SOUND_METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS', 'HEAD']);

/** The bytes of a request, its references resolved. */
export function wireOf(draft: Draft, resolve: Resolve, keys: Keys): Wire {
  const named = new Set<string>();
  const noting: Resolve = (role, nth, isOthers) => {
    const value = resolve(role, nth, isOthers);
    if (isOthers) named.add(value);
    return value;
  };
  const { operation, mode, form } = draft;
  const method = form.method ?? operation.method;
  const target = targetOf(draft, noting, keys);
  const body = bodyOf(draft, noting);
  const framing = form.framing(body ?? Buffer.alloc(0));
  const isTyped = body === null || form.headers.some(([name]) => name.toLowerCase() === 'content-type');
  const headers: Header[] = [
    ...form.keys(keys),
    ...(isTyped ? [] : [['Content-Type', 'application/json'] as const]),
    ...form.headers,
    ...framing,
  ];
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const head = Buffer.from(`${method} ${target} HTTP/${form.version}\r\n${lines}\r\n`, 'latin1');
  return {
    operationId: operation.id,
    mode,
    method,
    target,
    headers,
    body,
    bytes: Buffer.concat([head, form.frame(body ?? Buffer.alloc(0))]),
    isLast: !form.isFramingSound,
    isHead: method === 'HEAD',
    isSound:
      form.isFramingSound &&
      SOUND_METHODS.has(method) &&
      /^\/[\x21-\x7e]*$/.test(target) &&
      headers.every(isSoundHeader) &&
      head.length < HEADER_BYTES_MAX,
    hasGoodKey: form.isKeyGood,
    named,
  };
}

function isSoundHeader([name, value]: Header): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

function bodyOf({ body, form }: Draft, resolve: Resolve): Buffer | null {
  const text = body === undefined ? null : jsonOf(body, resolve);
  if (form.body !== null) return form.body(text ?? '');
  return text === null ? null : Buffer.from(text);
}

/** The target of a request, one character per byte. */
function targetOf({ operation, path, query, form }: Draft, resolve: Resolve, keys: Keys): string {
  const filled = operation.template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value: unknown = Reflect.get(path, name);
    return value === undefined ? '' : form.encode(plainOf(value, resolve));
  });
  const pairs = Object.entries(query).flatMap(([name, value]) => pairsOf(name, value, resolve));
  const search = pairs.map(([name, value]) => `${form.encode(name)}=${form.encode(value)}`).join('&');
  return `${form.path(`/v1${filled}`, keys)}${search === '' ? '' : `?${search}`}`;
}

/** Lists and objects in a query: repeated names, and names with brackets. */
function pairsOf(name: string, value: unknown, resolve: Resolve): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((item) => pairsOf(name, item, resolve));
  if (typeof value !== 'object' || value === null) return [[name, plainOf(value, resolve)]];
  return Object.entries(value).flatMap(([key, inner]) => pairsOf(`${name}[${key}]`, inner, resolve));
}
