import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { hostileKey, hostileText } from './hostile.ts';
import { weighted } from './tokens.ts';

export type Header = readonly [name: string, value: string];

/** The keys that a client may send: its own, and keys that must not open anything. */
export interface Keys {
  readonly own: string;
  readonly revoked: string;
  readonly suspended: string;
}

/** Everything about a request beside its values. All texts have one character per byte. */
export interface Form {
  /** null: that of the operation. */
  readonly method: string | null;
  readonly version: string;
  /** The path with its prefix. */
  readonly path: (path: string, keys: Keys) => string;
  /** One text of the path or query, as the target has it. */
  readonly encode: (text: string) => string;
  readonly keys: (keys: Keys) => readonly Header[];
  readonly isKeyGood: boolean;
  readonly headers: readonly Header[];
  /** null: the body stays as it is. */
  readonly body: ((text: string) => Buffer) | null;
  /** The headers that say where the body ends. */
  readonly framing: (body: Buffer) => readonly Header[];
  readonly frame: (body: Buffer) => Buffer;
  /** True if HTTP allows this framing. After any other, the client sends nothing more. */
  readonly isFramingSound: boolean;
}

type Trick = Partial<Form>;

export const PLAIN: Form = {
  method: null,
  version: '1.1',
  path: (path) => path,
  // A lone surrogate cannot be encoded, so it becomes U+FFFD, as in every text that is sent.
  encode: (text) => encodeURIComponent(text.toWellFormed()),
  keys: ({ own }) => [['Host', '127.0.0.1'], key(own)],
  isKeyGood: true,
  headers: [],
  body: null,
  framing: (body) => (body.length === 0 ? [] : [length(body.length)]),
  frame: (body) => body,
  isFramingSound: true,
};

const METHODS = 'PUT OPTIONS HEAD TRACE PROPFIND get PATCH DELETE POST GET QUERY NONSENSE'.split(' ');
const PREPENDED = '/ // /. /v1 /.. /%2e%2e /\\ /%2f'.split(' ');
const APPENDED = '/ // /. /.. %2f %00 % %zz %C0%AF %ED%A0%80 ;a=b #x ? ?? .json'.split(' ');

const paths: fc.Arbitrary<Trick> = fc.oneof(
  fc.constantFrom<Trick[]>(
    { encode: percent },
    { encode: (text) => percent(text).replaceAll('%', '%25') },
    { encode: bytesOf },
    { path: (path) => path.toUpperCase() },
    { path: (path) => `http://evil.invalid${path}` },
  ),
  fc.constantFrom(...APPENDED).map((text) => ({ path: (path: string) => `${path}${text}` })),
  fc.constantFrom(...PREPENDED).map((text) => ({ path: (path: string) => path.replace('/v1', `/v1${text}`) })),
  fc.constantFrom(...METHODS).map((method) => ({ method })),
);

function percent(text: string): string {
  return Buffer.from(text).toString('hex').replaceAll(/../g, '%$&');
}

function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function key(value: string): Header {
  return ['X-API-Key', value];
}

const BAD_KEYS: readonly Form['keys'][] = [
  () => [],
  () => [key('')],
  ({ own }) => [key(own.slice(0, -1))],
  ({ own }) => [key(`${own}x`)],
  ({ own }) => [key(own.toUpperCase())],
  ({ own }) => [key(own), key(own)],
  ({ own }) => [['Authorization', `Bearer ${own}`]],
  ({ own }) => [key(`${own}\xff`)],
  ({ own }) => [key(own.repeat(150))],
  ({ revoked }) => [key(revoked)],
  ({ suspended }) => [key(suspended)],
  () => [key('{"$ne":""}')],
];
const NO_KEY: Trick = { isKeyGood: false, keys: () => [['Host', '127.0.0.1']] };
const badKey = fc.constantFrom(...BAD_KEYS).map((bad): Trick => {
  return { isKeyGood: false, keys: (keys) => [['Host', '127.0.0.1'], ...bad(keys)] };
});
const inQuery: Trick = { ...NO_KEY, path: (path, { own }) => `${path}?X-API-Key=${own}` };
const keys = weighted<Trick>(
  [
    1,
    fc.constant<Trick>({
      keys: ({ own }) => [
        ['hOST', '127.0.0.1'],
        ['x-aPi-KEY', ` \t${own}\t `],
      ],
    }),
  ],
  [1, fc.constant(inQuery)],
  [9, badKey],
);

/** As in a request, but for the folded one, whose value has a line break. */
const LINES: readonly string[] = [
  ['Content-Type: text/plain', 'Content-Type: application/x-www-form-urlencoded', 'Content-Type: multipart/form-data'],
  ['Content-Type: application/json; charset=utf-16', 'Content-Type: ÿþ', 'Content-Encoding: gzip', 'TE: trailers'],
  ['Content-Encoding: identity', 'Content-Encoding: Identity', 'Content-Encoding: br, gzip', 'Content-Encoding: '],
  ['Accept: text/html', 'Accept: */*;q=NaN', 'Accept-Encoding: br;q=2, *', 'Expect: 100-continue', 'Expect: nonsense'],
  ['Upgrade: websocket', 'Upgrade: h2c', 'Connection: close', 'Connection: Upgrade, X-API-Key', 'Origin: null'],
  ['X-Request-Id: req_mine', 'X-HTTP-Method-Override: DELETE', 'X-Forwarded-For: 1.2.3.4, __proto__', ': x'],
  ['X-Forwarded-Host: evil.invalid', 'X-Merchant-Id: mrc_00000000000000000000000000', 'Authorization: Bearer nothing'],
  ['Cookie: __proto__=1; a=%', 'Range: bytes=0-0', 'If-None-Match: *', 'If-Modified-Since: not a date', 'X-Tab: \t\t'],
  ['__proto__: x', 'constructor: x', 'X-Obs: \x80ÿ ', 'X-Control: a\x01b', 'X-Nul: a\0b', 'X Space: x'],
  ['X-Folded: a\r\n b', `X-Long: ${'v'.repeat(10_000)}`, `X-Too-Long: ${'v'.repeat(20_000)}`],
].flat();

const header: fc.Arbitrary<Header> = weighted(
  [6, fc.constantFrom(...LINES).map((line): Header => [line.replace(/: .*/s, ''), line.replace(/.*?: /s, '')])],
  [1, fc.tuple(hostileKey, hostileText).map(([name, value]) => [headerText(name), headerText(value)])],
);

function headerText(text: string): string {
  return bytesOf(text.slice(0, 20_000));
}

const headers: fc.Arbitrary<Trick> = weighted(
  [9, fc.array(header, { minLength: 1, maxLength: 3 })],
  [1, fc.constant(Array<Header>(2_500).fill(['X', 'y']))],
).map((all) => ({ headers: all }));

const LEVELS = [19, 20, 21, 5_000, 30_000];
const BODIES: readonly Form['body'][] = [
  (text) => Buffer.from(text).subarray(0, Buffer.byteLength(text) / 2),
  (text) => Buffer.from(`${text}}garbage`),
  (text) => Buffer.from(`\ufeff${text}`),
  (text) => Buffer.from(text, 'utf16le'),
  (text) => Buffer.from(`${text}${text}`),
  (text) => Buffer.from(`\r\n\t ${text} \n`),
  // Its first field is there twice.
  (text) => Buffer.from(text.replace(/^\{("[^"]*":(?:"[^"]*"|[^"{[,}]+))/, '{$1,$1')),
  () => Buffer.from('{"name":"\xff\xc3\x28"}', 'latin1'),
  () => Buffer.from('{"name":"\xc0\xaf\xed\xa0\x80"}', 'latin1'),
  ...['', ' ', 'null', 'true', '0', '""', '[]', '[{}]', '{', '}', '{}{}', '{"a":1,}'].map(
    (text) => () => Buffer.from(text),
  ),
  ...["{'a':1}", '{"a":NaN}', 'a=b', '\0', ...LEVELS.map((count) => '['.repeat(count))].map(
    (text) => () => Buffer.from(text),
  ),
  ...LEVELS.map((count) => () => Buffer.from(`${'['.repeat(count)}${']'.repeat(count)}`)),
  ...[65_535, 65_536, 65_537, 200_000].map((bytes) => (text: string) => {
    return Buffer.concat([Buffer.from(text), Buffer.alloc(Math.max(0, bytes - Buffer.byteLength(text)), ' ')]);
  }),
];
const bodies = weighted<Trick>(
  [40, fc.constantFrom(...BODIES).map((body) => ({ body }))],
  [1, fc.constant<Trick>({ body: (text) => gzipSync(text), headers: [['Content-Encoding', 'gzip']] })],
);

const CHUNKED: Header = ['Transfer-Encoding', 'chunked'];
const BAD_LENGTHS = ['abc', '-1', '+5', '1e3', '0x10', '', '99999999999999999999', '1, 1', ' 5 5'];

function length(value: number | string): Header {
  return ['Content-Length', String(value)];
}

function unsound(framing: Form['framing'], frame: Form['frame'] = (body) => body): Trick {
  return { framing, frame, isFramingSound: false };
}

const framings: fc.Arbitrary<Trick> = fc.oneof(
  fc.constantFrom(1, 7, 4_096).map((size) => ({ framing: chunked, frame: chunksOf(size) })),
  fc.constantFrom<Trick[]>(
    unsound(chunked, () => Buffer.from('zz\r\n{}\r\n0\r\n\r\n')),
    unsound(chunked, (body) => chunksOf(99)(body).subarray(0, -5)),
    unsound((body) => [length(body.length), CHUNKED], chunksOf(99)),
    unsound((body) => [length(body.length + 10)]),
    unsound((body) => [length(Math.floor(body.length / 2))]),
    unsound((body) => [length(body.length), length(body.length + 1)]),
    // A request without a body, and bytes behind it. Without a key, because its answer may be that of the bytes.
    { ...unsound(() => []), keys: () => [] },
    { version: '1.0' },
    { keys: ({ own }) => [key(own)] },
  ),
  fc.constantFrom(...BAD_LENGTHS).map((text) => unsound(() => [length(text)])),
);

function chunked(): readonly Header[] {
  return [CHUNKED];
}

/** At most about 500 chunks, which show the same as thousands of one byte. */
function chunksOf(size: number): (bytes: Buffer) => Buffer {
  return (bytes) => {
    const each = Math.max(size, Math.ceil(bytes.length / 500));
    const starts = Array.from({ length: Math.ceil(bytes.length / each) }, (_, index) => index * each);
    const texts = starts.map((start) => bytes.toString('latin1', start, start + each));
    return Buffer.from(
      `${texts.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('')}0\r\n\r\n`,
      'latin1',
    );
  };
}

/** Forms with one kind of defect, and with every kind but the key, with their weights. */
export const defects: readonly (readonly [number, fc.Arbitrary<Form>])[] = [
  [1, paths.map(formOf)],
  [1, keys.map(formOf)],
  [2, headers.map(formOf)],
  [2, bodies.map(formOf)],
  [2, framings.map(formOf)],
];
export const broken: fc.Arbitrary<Form> = fc.tuple(paths, headers, bodies, framings).map((all) => formOf(...all));

function formOf(...changes: readonly Trick[]): Form {
  return Object.assign({ ...PLAIN }, ...changes);
}
