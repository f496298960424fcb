import type { Draft } from './draft.ts';
import { type Mutation, mutated } from './mutation.ts';
import { jsonOf, type MapNode, mapNode, type Node, plainOf, type Resolve, valueAt } from './node.ts';
import type { Header, Keys } from './tricks.ts';

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
  readonly isLast: boolean;
  readonly isHead: boolean;
  /** Certainly well-formed HTTP: the service itself must answer it and keep the connection. */
  readonly isSound: boolean;
  readonly hasGoodKey: boolean;
  /** Ids and addresses of others in the request. */
  readonly named: ReadonlySet<string>;
}

const HEADER_BYTES_MAX = 14_000;
const SOUND_METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS', 'HEAD']);

/** The bytes of a request, its references resolved. */
export function wireOf(draft: Draft, resolve: Resolve, keys: Keys): Wire {
  const named = new Set<string>();
  const noting: Resolve = (ref) => {
    const value = resolve(ref);
    if (ref.isOthers) named.add(value);
    return value;
  };
  const { operation, mode, keyTrick, framing } = draft;
  const method = draft.pathTrick.method ?? operation.method;
  const target = targetOf(draft, noting, keyTrick.isInQuery ? keys.own : null);
  const body = bodyOf(draft, noting);
  const sent = [...keyTrick.headers(keys), ...bodyHeaders(draft, body), ...draft.headerTricks];
  const framed = framing.frame(body);
  const headers: Header[] = [
    ...(framing.hasNoHost ? [] : [['Host', '127.0.0.1'] as const]),
    ...sent,
    ...framed.headers,
  ];
  const head = [
    `${method} ${target} HTTP/${framing.version ?? '1.1'}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ];
  const headBytes = Buffer.from(head.join('\r\n'), 'latin1');
  return {
    operationId: operation.id,
    mode,
    method,
    target,
    headers,
    body,
    bytes: Buffer.concat([headBytes, framed.bytes]),
    isLast: framed.isLast,
    isHead: method === 'HEAD',
    isSound:
      framed.isSound &&
      SOUND_METHODS.has(method) &&
      /^\/[\x21-\x7e]*$/.test(target) &&
      headers.every(isSoundHeader) &&
      headBytes.length < HEADER_BYTES_MAX,
    hasGoodKey: keyTrick.isGood ?? false,
    named,
  };
}

function isSoundHeader([name, value]: Header): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

function bodyHeaders({ headerTricks, bodyTrick }: Draft, body: Buffer | null): Header[] {
  const zipped: Header[] = bodyTrick?.encoding === undefined ? [] : [['Content-Encoding', bodyTrick.encoding]];
  const isTyped = body === null || headerTricks.some(([name]) => name.toLowerCase() === 'content-type');
  return isTyped ? zipped : [['Content-Type', 'application/json'], ...zipped];
}

function bodyOf({ body, mutations, bodyTrick }: Draft, resolve: Resolve): Buffer | null {
  const ours = mutations.filter(({ part }) => part === 'body');
  const changed = ours.reduce<Node | null>(
    (node, { at, change }) => (node ? mutated(node, at, change, true) : node),
    body,
  );
  const text = changed === null ? null : jsonOf(changed, resolve);
  if (bodyTrick !== null) return bodyTrick.change(text ?? '');
  return text === null ? null : Buffer.from(text);
}

/** The target of a request, one character per byte. `keyInQuery` null: the query has no key. */
function targetOf(draft: Draft, resolve: Resolve, keyInQuery: string | null): string {
  const { operation, pathTrick } = draft;
  const { encode = plainlyEncoded, path: change = (path) => path, origin = '' } = pathTrick;
  const values = mutatedMap(draft.path, draft.mutations, 'path');
  const query = mutatedMap(draft.query, draft.mutations, 'query');
  const path = operation.template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = valueAt(values, name);
    return value === undefined ? '' : encode(plainOf(value, resolve));
  });
  const pairs = query.entries.flatMap(([name, value]) => pairsOf(name, value, resolve));
  if (keyInQuery !== null) pairs.push(['X-API-Key', keyInQuery]);
  const search = pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  return `${origin}${change(`/v1${path}`)}${search === '' ? '' : `?${search}`}`;
}

/** Lists and objects in a query: repeated names, and names with brackets. */
function pairsOf(name: string, value: Node, resolve: Resolve): [string, string][] {
  if (value.kind === 'list') return value.items.flatMap((item) => pairsOf(name, item, resolve));
  if (value.kind === 'map') return value.entries.flatMap(([key, inner]) => pairsOf(`${name}[${key}]`, inner, resolve));
  return [[name, plainOf(value, resolve)]];
}

function plainlyEncoded(text: string): string {
  // A lone surrogate cannot be encoded, so it becomes U+FFFD, as in every text that is sent.
  return encodeURIComponent(text.toWellFormed());
}

function mutatedMap(map: MapNode, mutations: readonly Mutation[], part: 'path' | 'query'): MapNode {
  const ours = mutations.filter((mutation) => mutation.part === part);
  const changed = ours.reduce<Node>((node, { at, change }) => mutated(node, at, change, false), map);
  return changed.kind === 'map' ? changed : mapNode([]);
}
