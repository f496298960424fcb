import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import short from './hostile.json' with { type: 'json' };

/** Defects of a request other than its values. Short lists are tried completely. */

export type Header = readonly [name: string, value: string];

/** A variant of the target. */
export interface PathTrick {
  readonly name: string;
  /** Replaces the method of the operation. */
  readonly method?: string;
  /** One text of the path or query, as the target has it. */
  readonly encode?: (text: string) => string;
  /** The path, encoded. */
  readonly path?: (path: string) => string;
  /** What comes before the path. */
  readonly origin?: string;
}

export const PLAIN_PATH: PathTrick = { name: 'none' };

const METHODS = 'PUT OPTIONS HEAD TRACE PROPFIND get PATCH DELETE POST GET QUERY NONSENSE'.split(' ');
const PREPENDED = ['/', '//', '/.', '/v1', '/..', '/%2e%2e', '/\\', '/%2f'];

const paths: fc.Arbitrary<PathTrick> = fc.oneof(
  fc.constantFrom<PathTrick[]>(
    { name: 'every byte encoded', encode: percent },
    { name: 'every byte encoded twice', encode: (text) => percent(text).replaceAll('%', '%25') },
    { name: 'raw bytes that should be encoded', encode: bytesOf },
  ),
  fc.constantFrom<PathTrick[]>(
    { name: 'upper case', path: (path) => path.toUpperCase() },
    { name: 'absolute', origin: 'http://evil.invalid' },
  ),
  fc
    .constantFrom(...short.endings)
    .map((text): PathTrick => ({ name: `append ${text}`, path: (path) => `${path}${text}` })),
  fc
    .constantFrom(...PREPENDED)
    .map((text): PathTrick => ({ name: `prepend ${text}`, path: (path) => path.replace('/v1', `/v1${text}`) })),
  fc.constantFrom(...METHODS).map((method): PathTrick => ({ name: method, method })),
);

function percent(text: string): string {
  return [...Buffer.from(text, 'utf8')].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** The keys that a client may send: its own, and keys that must not open anything. */
export interface Keys {
  readonly own: string;
  readonly revoked: string;
  readonly suspended: string;
}

/** The key that is sent, and its form. */
export interface KeyTrick {
  readonly name: string;
  readonly isGood?: boolean;
  readonly isInQuery?: boolean;
  readonly headers: (keys: Keys) => readonly Header[];
}

export const OWN_KEY: KeyTrick = { name: 'own', isGood: true, headers: ({ own }) => [key(own)] };

function key(value: string): Header {
  return ['X-API-Key', value];
}

const keys = fc.constantFrom<KeyTrick[]>(
  { name: 'padded', isGood: true, headers: ({ own }) => [['x-aPi-KEY', ` \t${own}\t `]] },
  { name: 'absent', headers: () => [] },
  { name: 'empty', headers: () => [key('')] },
  { name: 'cut', headers: ({ own }) => [key(own.slice(0, -1))] },
  { name: 'longer', headers: ({ own }) => [key(`${own}x`)] },
  { name: 'upper', headers: ({ own }) => [key(own.toUpperCase())] },
  { name: 'twice', headers: ({ own }) => [key(own), key(own)] },
  { name: 'bearer', headers: ({ own }) => [['Authorization', `Bearer ${own}`]] },
  { name: 'query', isInQuery: true, headers: () => [] },
  { name: 'revoked', headers: ({ revoked }) => [key(revoked)] },
  { name: 'suspended', headers: ({ suspended }) => [key(suspended)] },
  { name: 'obs-text', headers: ({ own }) => [key(`${own}\xff`)] },
  { name: 'very long', headers: ({ own }) => [key(own.repeat(150))] },
  { name: 'operator', headers: () => [key('{"$ne":""}')] },
);

/** One character per byte. */
const NAMED: readonly Header[] = [
  ...short.headers.map(([name = '', value = '']) => [name, value] as const),
  ['X-Long', 'v'.repeat(10_000)],
  ['X-Too-Long', 'v'.repeat(20_000)],
];

function headers(names: fc.Arbitrary<string>, texts: fc.Arbitrary<string>): fc.Arbitrary<Header[]> {
  const short = (text: string) => bytesOf(text.slice(0, 20_000));
  const drawn = fc.tuple(names, texts).map(([name, value]): Header => [short(name), short(value)]);
  const one = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...NAMED) }, { weight: 1, arbitrary: drawn });
  return fc.oneof(
    { weight: 9, arbitrary: fc.array(one, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constant<Header[]>(Array(2_500).fill(['X', 'y'])) },
  );
}

/** A change of the body's bytes. */
export interface BodyTrick {
  readonly name: string;
  readonly change: (text: string) => Buffer;
  readonly encoding?: string;
}

const bodies: fc.Arbitrary<BodyTrick> = fc.oneof(
  fc.constantFrom<BodyTrick[]>(
    { name: 'cut', change: (text) => Buffer.from(text).subarray(0, Math.floor(Buffer.byteLength(text) / 2)) },
    { name: 'garbage', change: (text) => Buffer.from(`${text}}garbage`) },
    { name: 'bom', change: (text) => Buffer.from(`\ufeff${text}`) },
    { name: 'utf-16', change: (text) => Buffer.from(text, 'utf16le') },
    { name: 'invalid utf-8', change: () => Buffer.from('{"name":"\xff\xc3\x28"}', 'latin1') },
    { name: 'overlong', change: () => Buffer.from('{"name":"\xc0\xaf\xed\xa0\x80"}', 'latin1') },
    { name: 'gzip', encoding: 'gzip', change: (text) => gzipSync(text) },
    { name: 'twice', change: (text) => Buffer.from(`${text}${text}`) },
    { name: 'spaces', change: (text) => Buffer.from(`\r\n\t ${text} \n`) },
  ),
  fc
    .constantFrom(...short.bodies)
    .map((text): BodyTrick => ({ name: `instead ${text}`, change: () => Buffer.from(text) })),
  fc.tuple(fc.constantFrom(19, 20, 21, 5_000, 30_000), fc.boolean()).map(([levels, isClosed]): BodyTrick => {
    const text = `${'['.repeat(levels)}${isClosed ? ']'.repeat(levels) : ''}`;
    return { name: `nested ${levels}${isClosed ? '' : ', open'}`, change: () => Buffer.from(text) };
  }),
  fc.constantFrom(65_535, 65_536, 65_537, 200_000).map((bytes): BodyTrick => {
    const padded = (text: string) => Buffer.from(text + ' '.repeat(Math.max(0, bytes - Buffer.byteLength(text))));
    return { name: `padded to ${bytes}`, change: padded };
  }),
);

/** A body with the headers that say where it ends. */
interface Framed {
  readonly headers: readonly Header[];
  readonly bytes: Buffer;
  /** The client sends nothing after it. */
  readonly isLast: boolean;
  /** True if HTTP allows these headers for this body. */
  readonly isSound: boolean;
}

/** How the end of the body is marked. */
export interface Framing {
  readonly name: string;
  readonly version?: string;
  readonly hasNoHost?: boolean;
  /** Nothing says that there is a body. */
  readonly hidesBody?: boolean;
  readonly frame: (body: Buffer | null) => Framed;
}

const CHUNKED: Header = ['Transfer-Encoding', 'chunked'];

function length(value: number | string): Header {
  return ['Content-Length', String(value)];
}

function byLength(body: Buffer | null): Framed {
  const headers = body === null ? [] : [length(body.length)];
  return { headers, bytes: body ?? Buffer.alloc(0), isLast: false, isSound: true };
}

export const BY_LENGTH: Framing = { name: 'length', frame: byLength };

/** A framing that HTTP forbids. */
function unsound(name: string, headers: (bytes: Buffer) => Header[], change = (bytes: Buffer) => bytes): Framing {
  const frame = (body: Buffer | null): Framed => {
    const bytes = body ?? Buffer.alloc(0);
    return { headers: headers(bytes), bytes: change(bytes), isLast: true, isSound: false };
  };
  return { name, frame };
}

const BAD_LENGTHS = ['abc', '-1', '+5', '1e3', '0x10', '', '99999999999999999999', '1, 1', ' 5 5'];

const framings: fc.Arbitrary<Framing> = fc.oneof(
  fc.constantFrom(1, 7, 4_096).map((size): Framing => {
    const frame = (body: Buffer | null): Framed => {
      return { headers: [CHUNKED], bytes: chunks(body ?? Buffer.alloc(0), size), isLast: false, isSound: true };
    };
    return { name: `chunks of ${size}`, frame };
  }),
  fc.constantFrom<Framing[]>(
    unsound(
      'bad chunk',
      () => [CHUNKED],
      () => Buffer.from('zz\r\n{}\r\n0\r\n\r\n'),
    ),
    unsound(
      'cut chunk',
      () => [CHUNKED],
      (bytes) => chunks(bytes).subarray(0, -5),
    ),
    unsound('cut body', (bytes) => [length(bytes.length + 10)]),
    unsound('short length', (bytes) => [length(Math.floor(bytes.length / 2))]),
    unsound('length and chunked', (bytes) => [length(bytes.length), CHUNKED], chunks),
    unsound('two lengths', (bytes) => [length(bytes.length), length(bytes.length + 1)]),
    { ...unsound('no length', () => []), hidesBody: true },
    { name: 'http/1.0', version: '1.0', frame: byLength },
    { name: 'no host', hasNoHost: true, frame: byLength },
  ),
  fc.constantFrom(...BAD_LENGTHS).map((text) => unsound(`length ${text}`, () => [length(text)])),
);

function chunks(bytes: Buffer, size = 4_096): Buffer {
  // Hundreds of chunks show the same as thousands of chunks of one byte.
  const each = Math.max(size, Math.ceil(bytes.length / 500));
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += each) {
    const part = bytes.subarray(start, start + each);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

export const tricks = { path: paths, key: keys, headers, body: bodies, framing: framings } as const;
