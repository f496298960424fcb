import fc from 'fast-check';

/** Defects of a request other than its values. Short lists are tried completely. */

/** Variants of the target. */
export type PathTrick =
  | { readonly kind: 'none' }
  /** Every byte as `%XX`, once or twice encoded. */
  | { readonly kind: 'percent'; readonly times: 1 | 2 }
  /** Raw bytes that should be percent-encoded. */
  | { readonly kind: 'bare' }
  | { readonly kind: 'append'; readonly text: string }
  | { readonly kind: 'prepend'; readonly text: string }
  | { readonly kind: 'upper' }
  | { readonly kind: 'absolute' }
  | { readonly kind: 'method'; readonly method: string };

/** The key that is sent, and its form. `own` and `padded` are valid. */
export type KeyTrick =
  | { readonly kind: 'own' | 'padded' }
  | {
      readonly kind:
        | 'absent'
        | 'empty'
        | 'cut'
        | 'longer'
        | 'upper'
        | 'twice'
        | 'bearer'
        | 'query'
        | 'revoked'
        | 'suspended'
        | 'obs-text'
        | 'very long'
        | 'operator';
    };

export interface HeaderTrick {
  readonly name: string;
  /** One character per byte. */
  readonly value: string;
}

/** Changes of the body's bytes. */
export type BodyTrick =
  | { readonly kind: 'none' }
  | { readonly kind: 'cut' | 'garbage' | 'bom' | 'utf-16' | 'invalid utf-8' | 'overlong' | 'gzip' | 'twice' | 'spaces' }
  | { readonly kind: 'instead'; readonly text: string }
  | { readonly kind: 'nested'; readonly levels: number; readonly isClosed: boolean }
  | { readonly kind: 'padded'; readonly bytes: number };

/** How the end of the body is marked. `length` and `chunked` are valid. */
export type Framing =
  | { readonly kind: 'length' }
  | { readonly kind: 'chunked'; readonly size: number }
  | {
      readonly kind:
        | 'bad chunk'
        | 'cut chunk'
        | 'cut body'
        | 'short length'
        | 'length and chunked'
        | 'two lengths'
        | 'no length'
        | 'http/1.0'
        | 'no host';
    }
  | { readonly kind: 'bad length'; readonly text: string };

const METHODS = [
  'PUT',
  'OPTIONS',
  'HEAD',
  'TRACE',
  'PROPFIND',
  'get',
  'PATCH',
  'DELETE',
  'POST',
  'GET',
  'QUERY',
  'NONSENSE',
];
const APPENDED = [
  '/',
  '//',
  '/.',
  '/..',
  '%2f',
  '%00',
  '%',
  '%zz',
  '%C0%AF',
  '%ED%A0%80',
  ';a=b',
  '#x',
  '?',
  '??',
  '.json',
];
const PREPENDED = ['/', '//', '/.', '/v1', '/..', '/%2e%2e', '/\\', '/%2f'];

const paths: fc.Arbitrary<PathTrick> = fc.oneof(
  fc.constantFrom<PathTrick>({ kind: 'percent', times: 1 }, { kind: 'percent', times: 2 }, { kind: 'bare' }),
  fc.constantFrom<PathTrick>({ kind: 'upper' }, { kind: 'absolute' }),
  fc.constantFrom(...APPENDED).map((text): PathTrick => ({ kind: 'append', text })),
  fc.constantFrom(...PREPENDED).map((text): PathTrick => ({ kind: 'prepend', text })),
  fc.constantFrom(...METHODS).map((method): PathTrick => ({ kind: 'method', method })),
);

const KEYS: readonly KeyTrick['kind'][] = [
  'padded',
  'absent',
  'empty',
  'cut',
  'longer',
  'upper',
  'twice',
  'bearer',
  'query',
  'revoked',
  'suspended',
  'obs-text',
  'very long',
  'operator',
];

const keys: fc.Arbitrary<KeyTrick> = fc.constantFrom(...KEYS).map((kind): KeyTrick => ({ kind }));

const NAMED: readonly HeaderTrick[] = [
  { name: 'Content-Type', value: 'text/plain' },
  { name: 'Content-Type', value: 'application/x-www-form-urlencoded' },
  { name: 'Content-Type', value: 'multipart/form-data' },
  { name: 'Content-Type', value: 'application/json; charset=utf-16' },
  { name: 'Content-Type', value: '\xff\xfe' },
  { name: 'Content-Encoding', value: 'gzip' },
  { name: 'Content-Encoding', value: 'identity' },
  { name: 'Content-Encoding', value: 'Identity' },
  { name: 'Content-Encoding', value: 'br, gzip' },
  { name: 'Content-Encoding', value: '' },
  { name: 'Accept', value: 'text/html' },
  { name: 'Accept', value: '*/*;q=NaN' },
  { name: 'Accept-Encoding', value: 'br;q=2, *' },
  { name: 'Expect', value: '100-continue' },
  { name: 'Expect', value: 'nonsense' },
  { name: 'Upgrade', value: 'websocket' },
  { name: 'Upgrade', value: 'h2c' },
  { name: 'Connection', value: 'close' },
  { name: 'Connection', value: 'Upgrade, X-API-Key' },
  { name: 'X-Request-Id', value: 'req_mine' },
  { name: 'X-HTTP-Method-Override', value: 'DELETE' },
  { name: 'X-Forwarded-For', value: '1.2.3.4, __proto__' },
  { name: 'X-Forwarded-Host', value: 'evil.invalid' },
  { name: 'X-Merchant-Id', value: 'mrc_00000000000000000000000000' },
  { name: 'Authorization', value: 'Bearer nothing' },
  { name: 'Cookie', value: '__proto__=1; a=%' },
  { name: 'Range', value: 'bytes=0-0' },
  { name: 'If-None-Match', value: '*' },
  { name: 'If-Modified-Since', value: 'not a date' },
  { name: 'Origin', value: 'null' },
  { name: 'TE', value: 'trailers' },
  { name: '__proto__', value: 'x' },
  { name: 'constructor', value: 'x' },
  { name: 'X-Obs', value: '\x80\xff\xa0' },
  { name: 'X-Tab', value: '\t\t' },
  { name: 'X-Control', value: 'a\x01b' },
  { name: 'X-Nul', value: 'a\x00b' },
  { name: 'X Space', value: 'x' },
  { name: '', value: 'x' },
  { name: 'X-Folded', value: 'a\r\n b' },
  { name: 'X-Long', value: 'v'.repeat(10_000) },
  { name: 'X-Too-Long', value: 'v'.repeat(20_000) },
];

function headers(key: fc.Arbitrary<string>, text: fc.Arbitrary<string>): fc.Arbitrary<HeaderTrick[]> {
  const drawn = fc.tuple(key, text).map(([name, value]) => ({ name: bytesOf(name), value: bytesOf(value) }));
  const one = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...NAMED) }, { weight: 1, arbitrary: drawn });
  return fc.oneof(
    { weight: 9, arbitrary: fc.array(one, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constant(Array(2_500).fill({ name: 'X', value: 'y' })) },
  );
}

function bytesOf(text: string): string {
  return Buffer.from(text.slice(0, 20_000), 'utf8').toString('latin1');
}

const INSTEAD = [
  '',
  ' ',
  'null',
  'true',
  '0',
  '""',
  '[]',
  '[{}]',
  '{',
  '}',
  '{}{}',
  '{"a":1,}',
  "{'a':1}",
  '{"a":NaN}',
  'a=b',
  '\u0000',
];

const bodies: fc.Arbitrary<BodyTrick> = fc.oneof(
  fc.constantFrom<BodyTrick>(
    { kind: 'cut' },
    { kind: 'garbage' },
    { kind: 'bom' },
    { kind: 'utf-16' },
    { kind: 'invalid utf-8' },
    { kind: 'overlong' },
    { kind: 'gzip' },
    { kind: 'twice' },
    { kind: 'spaces' },
  ),
  fc.constantFrom(...INSTEAD).map((text): BodyTrick => ({ kind: 'instead', text })),
  fc
    .tuple(fc.constantFrom(19, 20, 21, 5_000, 30_000), fc.boolean())
    .map(([levels, isClosed]): BodyTrick => ({ kind: 'nested', levels, isClosed })),
  fc.constantFrom(65_535, 65_536, 65_537, 200_000).map((bytes): BodyTrick => ({ kind: 'padded', bytes })),
);

const BAD_LENGTHS = ['abc', '-1', '+5', '1e3', '0x10', '', '99999999999999999999', '1, 1', ' 5 5'];

const framings: fc.Arbitrary<Framing> = fc.oneof(
  fc.constantFrom(1, 7, 4_096).map((size): Framing => ({ kind: 'chunked', size })),
  fc.constantFrom<Framing>(
    { kind: 'bad chunk' },
    { kind: 'cut chunk' },
    { kind: 'cut body' },
    { kind: 'short length' },
    { kind: 'length and chunked' },
    { kind: 'two lengths' },
    { kind: 'no length' },
    { kind: 'http/1.0' },
    { kind: 'no host' },
  ),
  fc.constantFrom(...BAD_LENGTHS).map((text): Framing => ({ kind: 'bad length', text })),
);

export const tricks = { path: paths, key: keys, headers, body: bodies, framing: framings } as const;
