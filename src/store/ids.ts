import { hash, randomFillSync } from 'node:crypto';
import { encodeTime, ulid } from 'ulid';
import { PARTITIONS } from './documents.ts';

/**
 * Identifier prefixes (reference, section 1; `dlv_`, `op_`, `txn_`, `dep_`, `chg_`, `mem_`, `logo_` and
 * `ltr_` are internal).
 */
export type IdPrefix =
  | 'offer'
  | 'price'
  | 'cust'
  | 'pay'
  | 'wal'
  | 'mrc'
  | 'sub'
  | 'evt'
  | 'dlv'
  | 'op'
  | 'txn'
  | 'dep'
  | 'chg'
  | 'mem'
  | 'logo'
  | 'ref'
  | 'cpn'
  | 'ltr';

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARS = 10;
const ENTROPY_CHARS = 16;

export function newId(prefix: IdPrefix, now: Date): string {
  return `${prefix}_${ulid(now.getTime(), randomFraction).toLowerCase()}`;
}

const pool = Buffer.alloc(4_096);
let used = pool.length;

/**
 * Strong randomness from a pool: to draw the 16 characters of an id one by one costs more than the rest of a commit.
 */
function randomFraction(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const byte = pool[used] ?? 0;
  used += 1;
  return byte / 256;
}

/** Empties the pool, for tests that replace the random source of `node:crypto`. */
export function forgetDrawn(): void {
  used = pool.length;
}

/**
 * The same id for the same `seed` and `time`, in the form of a new one: two processes that make one thing give it one
 * id.
 */
export function derivedId(prefix: IdPrefix, time: Date, seed: string): string {
  const head = encodeTime(time.getTime(), TIME_CHARS).toLowerCase();
  return `${prefix}_${head}${entropyOf(seed)}`;
}

/** Like `derivedId`, with the time part of the id `of`; it depends only on `of` and `seed`. */
export function siblingId(prefix: IdPrefix, of: string, seed: string): string {
  return `${prefix}_${suffixOf(of).slice(0, TIME_CHARS)}${entropyOf(`${of}:${seed}`)}`;
}

/** The part after the prefix: `pay_X`, `inv_X` and `sub-pay-X` name one cycle in three spellings. */
export function suffixOf(id: string): string {
  return id.slice(Math.max(id.lastIndexOf('_'), id.lastIndexOf('-')) + 1);
}

/**
 * The payment id of any of the three spellings (docs/rules.md, "Names, roots, shapes"); any other text comes back
 * unchanged.
 */
export function paymentIdOf(spelling: string): string {
  const match = /^(?:pay_|inv_|sub-pay-)([0-9a-z]{26})$/.exec(spelling);
  return match ? `pay_${match[1]}` : spelling;
}

/** The partition (0..63) of an id: it never changes, and ids spread evenly. */
export function partitionOf(id: string): number {
  return Number.parseInt(hash('sha256', id, 'hex').slice(0, 8), 16) % PARTITIONS;
}

function entropyOf(seed: string): string {
  // A string with one character per byte: a third of the cost of a buffer.
  const digest = hash('sha256', seed, 'binary');
  let text = '';
  for (let index = 0; index < ENTROPY_CHARS; index += 1) text += CROCKFORD[digest.charCodeAt(index) % CROCKFORD.length];
  return text;
}
