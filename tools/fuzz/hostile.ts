import fc from 'fast-check';
import short from './hostile.json' with { type: 'json' };
import type { Change } from './mutation.ts';
import { listNode, mapNode, type Node, rawNode, refNode, textNode } from './node.ts';
import type { Role } from './view.ts';

/**
 * Values that have broken other services, and values that might break this one. The short ones are in the JSON file.
 */
const TEXTS: readonly string[] = [
  ...short.texts,
  'e\u0301\u0327\u0489'.repeat(40),
  'a@'.repeat(200),
  `${'a'.repeat(30_000)}@`,
  'x'.repeat(10_000),
  'x'.repeat(66_000),
  'x'.repeat(1_000_000),
  '\u0000'.repeat(5_000),
  '漢'.repeat(200),
];

/** Field names with a meaning for a database, a driver, a language or this service. */
const KEYS: readonly string[] = [...short.keys, 'k'.repeat(300), 'k'.repeat(10_000)];

/** The kinds of resources whose ids somebody could know without owning them. */
const KNOWN = ['offer', 'price', 'customer', 'subscription', 'payment', 'wallet', 'event'] as const;
const OTHERS: readonly Role[] = [...KNOWN, 'othersAddress'];

/** A resource of the same tenant, but of another kind than requested, or another one of the kind. */
const MINE: readonly Role[] = [
  ...KNOWN,
  ...(['deleted', 'token', 'evmAddress', 'solanaAddress', 'usedKey', 'usedSlug'] as const),
];

const NTH_MAX = 40;

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 2, arbitrary: fc.constantFrom(...short.moments) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
);

export const hostileKey: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...KEYS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
);

const refs: fc.Arbitrary<Node> = fc.oneof(
  fc.tuple(fc.constantFrom(...OTHERS), fc.nat(NTH_MAX)).map(([role, nth]) => refNode(role, nth, true)),
  fc.tuple(fc.constantFrom(...MINE), fc.nat(NTH_MAX)).map(([role, nth]) => refNode(role, nth)),
);

const scalar: fc.Arbitrary<Node> = fc.oneof(
  { weight: 5, arbitrary: hostileText.map(textNode) },
  { weight: 3, arbitrary: fc.constantFrom(...short.raws).map(rawNode) },
  { weight: 3, arbitrary: refs },
);

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
