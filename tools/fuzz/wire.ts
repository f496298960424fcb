import { unknownCase } from '../../machines/unknown-case.ts';
import { trickedBody } from './body.ts';
import type { Draft } from './draft.ts';
import { framedBody } from './framing.ts';
import { mutated } from './mutation.ts';
import { jsonOf, type Node, type Resolve } from './node.ts';
import { targetOf } from './target.ts';
import type { HeaderTrick, KeyTrick } from './tricks.ts';

/** The keys that a client may send: its own, and keys that must not open anything. */
export interface Keys {
  readonly own: string;
  readonly revoked: string;
  readonly suspended: string;
}

type Header = readonly [name: string, value: string];

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
    if (ref.role.startsWith('others')) named.add(value);
    return value;
  };
  const { operation, mode, keyTrick, framing } = draft;
  const method = draft.pathTrick.kind === 'method' ? draft.pathTrick.method : operation.method;
  const target = targetOf(draft, noting, keyTrick.kind === 'query' ? keys.own : null);
  const body = bodyOf(draft, noting);
  const sent = [...keyHeaders(keyTrick, keys), ...bodyHeaders(draft, body), ...draft.headerTricks.map(headerOf)];
  const framed = framedBody(framing, body);
  const headers: Header[] = [
    ...(framing.kind === 'no host' ? [] : [['Host', '127.0.0.1'] as const]),
    ...sent,
    ...framed.headers,
  ];
  const version = framing.kind === 'http/1.0' ? '1.0' : '1.1';
  const head = [`${method} ${target} HTTP/${version}`, ...headers.map(([name, value]) => `${name}: ${value}`), '', ''];
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
    hasGoodKey: keyTrick.kind === 'own' || keyTrick.kind === 'padded',
    named,
  };
}

function headerOf({ name, value }: HeaderTrick): Header {
  return [name, value];
}

function isSoundHeader([name, value]: Header): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

function keyHeaders({ kind }: KeyTrick, keys: Keys): Header[] {
  const key = (value: string): Header[] => [['X-API-Key', value]];
  switch (kind) {
    case 'own':
      return key(keys.own);
    case 'padded':
      return [['x-aPi-KEY', ` \t${keys.own}\t `]];
    case 'absent':
    case 'query':
      return [];
    case 'empty':
      return key('');
    case 'cut':
      return key(keys.own.slice(0, -1));
    case 'longer':
      return key(`${keys.own}x`);
    case 'upper':
      return key(keys.own.toUpperCase());
    case 'twice':
      return [...key(keys.own), ...key(keys.own)];
    case 'bearer':
      return [['Authorization', `Bearer ${keys.own}`]];
    case 'revoked':
      return key(keys.revoked);
    case 'suspended':
      return key(keys.suspended);
    case 'obs-text':
      return key(`${keys.own}\xff`);
    case 'very long':
      return key(keys.own.repeat(150));
    case 'operator':
      return key('{"$ne":""}');
    default:
      return unknownCase(kind, 'trick');
  }
}

function bodyHeaders({ headerTricks, bodyTrick }: Draft, body: Buffer | null): Header[] {
  const zipped: Header[] = bodyTrick.kind === 'gzip' ? [['Content-Encoding', 'gzip']] : [];
  const isTyped = body === null || headerTricks.some(({ name }) => name.toLowerCase() === 'content-type');
  return isTyped ? zipped : [['Content-Type', 'application/json'], ...zipped];
}

function bodyOf({ body, mutations, bodyTrick }: Draft, resolve: Resolve): Buffer | null {
  const ours = mutations.filter(({ part }) => part === 'body');
  const changed = ours.reduce<Node | null>(
    (node, { at, change }) => (node ? mutated(node, at, change, true) : node),
    body,
  );
  const text = changed === null ? null : jsonOf(changed, resolve);
  return trickedBody(bodyTrick, text);
}
