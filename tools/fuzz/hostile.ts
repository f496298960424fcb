import fc from 'fast-check';
import type { Role } from './known.ts';
import { exactly, NTH_MAX, ref, weighted } from './tokens.ts';

/** Values that have broken other services, and values that might break this one. */
const TEXTS: readonly string[] = [
  ['', ' ', '\0', 'a\0b', '\ud800', 'a\udc00b', '\ufeff', '\u202egnp.exe', '\u2028\u2029', '\u001b[2J'],
  ['👩\u200d👩\u200d👧\u200d👦🏳\ufe0f\u200d🌈', 'İıſKẞ', '٣٤٥', '１２３', 'e\u0301\u0327\u0489'.repeat(40)],
  ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '[object Object]', 'null', 'undefined'],
  ['$where', "' || this.merchantId != '", '{"$ne":null}', '{"$gt":""}', "1; sleep(5000); '", '{{7*7}}#{7*7}'],
  ['true', 'NaN', 'Infinity', '-0', '-1', '1e400', '0x10', '9007199254740993', '18446744073709551616'],
  ['0.0000000000000000001', '00010.00', '10.', '.5', '+10', '1,000.00', '.*', '^(a+)+$', '\r\nX-Injected: 1'],
  ['../../../etc/passwd', '..%2f..%2f', '%00', '%', '%zz', '<script>alert(1)</script>'],
  ['a@'.repeat(200), `${'a'.repeat(30_000)}@`, 'x'.repeat(10_000), 'x'.repeat(66_000), 'x'.repeat(1_000_000)],
  ['\0'.repeat(5_000), '漢'.repeat(200)],
].flat();

const MOMENTS: readonly string[] = [
  ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z', '0000-01-01T00:00:00+23:59', '1969-12-31T23:59:59.999Z'],
  ['1970-01-01T00:00:00.000Z', '2030-02-29T00:00:00Z', '2028-02-29T23:59:59.999Z', '2030-02-30T00:00:00Z'],
  ['2030-12-31T23:59:60Z', '2030-12-31T24:00:00Z', '2030-01-01T00:00:00.123456789123456789Z', '2030-01-01'],
  ['2030-01-01T00:00:00+14:00', '2030-01-01T00:00:00-00:00', '2030-01-01T00:00:00+24:00', '2030-01-01 00:00:00Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59-23:59', '+010000-01-01T00:00:00Z', '-000001-01-01T00:00:00Z'],
  ['+275760-09-13T00:00:00.000Z'],
].flat();

/** Put into the JSON text as they are. */
const RAWS: readonly string[] = [
  ['null', 'true', 'false', '0', '-0', '-1', '1', '0.1', '1e2', '1e400', '-1e400', '1e-400', '2147483648', '1e21'],
  ['9007199254740992', '9007199254740993', '123456789012345678901234567890', '1.0000000000000000000000001'],
  ['NaN', 'Infinity', '0x10', '01', '+1', '.5', "'text'", 'undefined', '/* */1', '[]', '{}', '[[]]', '[null]'],
  ['{"":0}', '{"$oid":"507f1f77bcf86cd799439011"}', '{"$date":0}', '{"$ref":"offers","$id":"1"}'],
  ['{"$ref":"a.b","$id":1,"$db":"c"}', '{"_bsontype":"ObjectId","id":"x"}', '{"__proto__":{"polluted":1}}'],
  ['{"constructor":{"prototype":{"polluted":1}}}'],
].flat();

/** Field names with a meaning for a database, a driver, a language or this service. */
const KEYS: readonly string[] = [
  ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'length', 'then', '0', '-1'],
  ['$ne', '$gt', '$where', '$set', '$expr', '$oid', '$date', '$numberLong', 'a.b', '.', '..', '', '$'],
  ['_id', '_bsontype', 'toBSON', 'toJSON', 'id', 'merchantId', 'mode', 'rev', 'outbox', 'status', 'isSandbox'],
  ['deletedAt', 'a\0b', '\ud800', '\r\nX-Injected: 1', 'поле', '👾', 'k'.repeat(300), 'k'.repeat(10_000)],
].flat();

/** The kinds of resources whose ids somebody could know without owning them. */
const KNOWN = ['offer', 'price', 'customer', 'subscription', 'payment', 'wallet', 'event'] as const;
const OTHERS: readonly Role[] = [...KNOWN, 'othersAddress'];
const MINE: readonly Role[] = [...KNOWN, 'deleted', 'token', 'evmAddress', 'solanaAddress', 'usedKey', 'usedSlug'];

// It costs a second to make.
const binary = fc.string({ unit: 'binary', maxLength: 12 });

export const hostileText = weighted([6, fc.constantFrom(...TEXTS)], [2, fc.constantFrom(...MOMENTS)], [2, binary]);

export const hostileKey = weighted([6, fc.constantFrom(...KEYS)], [1, binary]);

const scalar = weighted(
  [10, hostileText],
  [6, fc.constantFrom(...RAWS).map(exactly)],
  [3, fc.tuple(fc.constantFrom(...OTHERS), fc.nat(NTH_MAX)).map(([role, nth]) => ref(role, nth, true))],
  [3, fc.tuple(fc.constantFrom(...MINE), fc.nat(NTH_MAX)).map(([role, nth]) => ref(role, nth))],
);

const entry = fc.tuple(hostileKey, scalar).map(([key, value]) => ({ [key]: value }));

const replacement = weighted<unknown>(
  [8, scalar],
  [2, entry],
  [1, fc.array(scalar, { maxLength: 4 })],
  [1, fc.nat({ max: 400 }).map((count) => Array<string>(count).fill('a'))],
);

/** The service refuses a body at about 20 levels. Far deeper bodies could exhaust the stack of a parser or a walk. */
const wrapper = fc.tuple(
  fc.constantFrom(1, 2, 17, 18, 19, 20, 21, 200, 1_000),
  fc.constantFrom(null, '$ne', '$gt', '$in', 'a', '__proto__'),
);

type Change = (value: unknown) => unknown;

const change = weighted<Change>(
  [8, replacement.map((value) => () => value)],
  [4, entry.map((added) => (value) => ({ ...fieldsOf(value), ...added }))],
  [2, fc.constant(() => undefined)],
  [2, fc.constant((value) => [value, value])],
  [
    2,
    wrapper.map(
      ([levels, key]) =>
        (value) =>
          wrapped(value, levels, key),
    ),
  ],
);

const PARTS = ['body', 'body', 'body', 'body', 'query', 'path', 'path'] as const;
export type Part = (typeof PARTS)[number];

/** Hostile changes. `at` is the index of a position of the part in reading order, modulo their number. */
export const mutations = fc.array(fc.record({ part: fc.constantFrom(...PARTS), at: fc.nat(60), change }), {
  minLength: 1,
  maxLength: 3,
});

type Mutation = ReturnType<typeof mutations.generate>['value'][number];

/** The part of a request with its changes. Only a body is changed as a whole, too. */
export function mutated(root: unknown, part: Part, all: readonly Mutation[]): unknown {
  const ours = all.filter((one) => one.part === part);
  return ours.reduce((value, one) => changed(value, one, part === 'body' ? 0 : 1), root);
}

function changed(root: unknown, { at, change: apply }: Mutation, first: number): unknown {
  let count = -first;
  JSON.stringify(root, (_, value: unknown) => {
    count += 1;
    return value;
  });
  if (count === 0) return apply(root);
  let left = first + (at % count);
  const text = JSON.stringify(root, (_, value: unknown) => {
    left -= 1;
    return left === -1 ? apply(value) : value;
  });
  return text === undefined ? undefined : JSON.parse(text);
}

export function fieldsOf(value: unknown): object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function wrapped(value: unknown, levels: number, key: string | null): unknown {
  let outer = value;
  for (let level = 0; level < levels; level += 1) outer = key === null ? [outer] : { [key]: outer };
  return outer;
}
