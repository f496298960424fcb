import fc from 'fast-check';
import type { Change } from './mutation.ts';
import { listNode, mapNode, type Node, type Role, rawNode, refNode, textNode } from './node.ts';

/** Values that have broken other services, and values that might break this one. */

const TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'a\udc00b',
  '\uFEFF',
  '\u202Egnp.exe',
  'e\u0301\u0327\u0489'.repeat(40),
  '👩‍👩‍👧‍👦🏳️‍🌈',
  'İıſKẞ',
  '٣٤٥',
  '１２３',
  '\u2028\u2029',
  '\r\nX-Injected: 1',
  '\u001b[2J',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '$where',
  "' || this.merchantId != '",
  '{"$ne":null}',
  '{"$gt":""}',
  '[object Object]',
  'null',
  'undefined',
  'true',
  'NaN',
  'Infinity',
  '-0',
  '-1',
  '1e400',
  '0x10',
  '9007199254740993',
  '18446744073709551616',
  '0.0000000000000000001',
  '00010.00',
  '10.',
  '.5',
  '+10',
  '1,000.00',
  '../../../etc/passwd',
  '..%2f..%2f',
  '%00',
  '%',
  '%zz',
  '<script>alert(1)</script>',
  '{{7*7}}#{7*7}',
  "1; sleep(5000); '",
  '.*',
  '^(a+)+$',
  'a@'.repeat(200),
  `${'a'.repeat(30_000)}@`,
  'x'.repeat(10_000),
  'x'.repeat(66_000),
  'x'.repeat(1_000_000),
  '\u0000'.repeat(5_000),
  '漢'.repeat(200),
];

/** Times at the limits of text, storage and display. */
const MOMENTS: readonly string[] = [
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00.000Z',
  '0000-01-01T00:00:00+23:59',
  '1969-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00.000Z',
  '2030-02-29T00:00:00Z',
  '2028-02-29T23:59:59.999Z',
  '2030-02-30T00:00:00Z',
  '2030-12-31T23:59:60Z',
  '2030-12-31T24:00:00Z',
  '2030-01-01T00:00:00.123456789123456789Z',
  '2030-01-01T00:00:00+14:00',
  '2030-01-01T00:00:00-00:00',
  '2030-01-01T00:00:00+24:00',
  '2030-01-01 00:00:00Z',
  '2030-01-01',
  '9999-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59-23:59',
  '+010000-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.000Z',
  '-000001-01-01T00:00:00Z',
];

const RAWS: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1',
  '0.1',
  '1e2',
  '1e400',
  '-1e400',
  '1e-400',
  '2147483648',
  '9007199254740992',
  '9007199254740993',
  '1e21',
  '123456789012345678901234567890',
  '1.0000000000000000000000001',
  'NaN',
  'Infinity',
  '0x10',
  '01',
  '+1',
  '.5',
  "'text'",
  'undefined',
  '/* */1',
  '[]',
  '{}',
  '[[]]',
  '[null]',
  '{"":0}',
  '{"$oid":"507f1f77bcf86cd799439011"}',
  '{"$date":0}',
  '{"$ref":"offers","$id":"1"}',
  '{"$ref":"a.b","$id":1,"$db":"c"}',
  '{"_bsontype":"ObjectId","id":"x"}',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
];

/** Field names with a meaning for a database, a driver, a language or this service. */
const KEYS: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  '$ne',
  '$gt',
  '$where',
  '$set',
  '$expr',
  '$oid',
  '$date',
  '$numberLong',
  'a.b',
  '.',
  '..',
  '',
  '$',
  '_id',
  '_bsontype',
  'toBSON',
  'toJSON',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'length',
  'then',
  '0',
  '-1',
  'id',
  'merchantId',
  'mode',
  'rev',
  'outbox',
  'status',
  'isSandbox',
  'deletedAt',
  'a\u0000b',
  '\ud800',
  '\r\nX-Injected: 1',
  'поле',
  '👾',
  'k'.repeat(300),
  'k'.repeat(10_000),
];

const OTHERS: readonly Role[] = [
  'othersOffer',
  'othersPrice',
  'othersCustomer',
  'othersSubscription',
  'othersPayment',
  'othersWallet',
  'othersEvent',
  'othersAddress',
  'deleted',
];

/** A resource of the same tenant, but of another kind than requested, or another one of the kind. */
const MINE: readonly Role[] = [
  'offer',
  'price',
  'customer',
  'subscription',
  'payment',
  'wallet',
  'token',
  'evmAddress',
  'solanaAddress',
  'usedKey',
  'usedSlug',
];

const NTH_MAX = 40;

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 2, arbitrary: fc.constantFrom(...MOMENTS) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
);

export const hostileKey: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...KEYS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
);

const refs: fc.Arbitrary<Node> = fc
  .tuple(fc.constantFrom(...OTHERS, ...MINE), fc.nat(NTH_MAX))
  .map(([role, nth]) => refNode(role, nth));

const scalar: fc.Arbitrary<Node> = fc.oneof(
  { weight: 5, arbitrary: hostileText.map(textNode) },
  { weight: 3, arbitrary: fc.constantFrom(...RAWS).map(rawNode) },
  { weight: 3, arbitrary: refs },
);

/** A hostile value of any type. */
const hostileNode: fc.Arbitrary<Node> = fc.oneof(
  { weight: 8, arbitrary: scalar },
  { weight: 2, arbitrary: fc.tuple(hostileKey, scalar).map(([key, value]) => mapNode([[key, value]])) },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 4 }).map(listNode) },
  { weight: 1, arbitrary: fc.nat({ max: 400 }).map((count) => listNode(Array(count).fill(textNode('a')))) },
);

/** The service refuses a body at about 20 levels. Far deeper bodies could exhaust the stack of a parser or a walk. */
const LEVELS: readonly number[] = [1, 2, 17, 18, 19, 20, 21, 200, 1_000];

/** A hostile change of one position. */
export const hostileChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 8, arbitrary: hostileNode.map((node): Change => ({ kind: 'replace', with: node })) },
  {
    weight: 4,
    arbitrary: fc.tuple(hostileKey, scalar).map(([key, value]): Change => ({ kind: 'add', key, value })),
  },
  { weight: 2, arbitrary: fc.constant<Change>({ kind: 'drop' }) },
  { weight: 2, arbitrary: fc.constant<Change>({ kind: 'twice' }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...LEVELS), fc.option(fc.constantFrom('$ne', '$gt', '$in', 'a', '__proto__')))
      .map(([levels, key]): Change => ({ kind: 'wrap', levels, key })),
  },
);
