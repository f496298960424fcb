import { randomBytes } from 'node:crypto';
import { isDate } from 'node:util/types';
import { hexlify } from 'ethers';
import { newId } from '../../src/store/ids.ts';
import { isPlain } from '../../src/store/values.ts';

/** Replaces a string of a document by the copy's own. */
export type Own = (text: string) => string;

/** A hash, or an id without its prefix. */
const NAME = /\b(?:0x)?[0-9a-f]{64}\b|(?<=\b(?:sub|cust|pay|op|evt|txn)[_-])[0-9a-z]{26}\b/g;
const HASH_BYTES = 32;

/**
 * Gives copies their own ids of subscriptions, customers, payments and operations, and their own hashes; they share
 * offer and price. Values that are equal in all copies would be compressed away. `names` has
 * the new name of each old string that had one before, and gets those of all others: equal strings stay equal. `at` is
 * the moment of new ids.
 */
export function ownNames(names: Map<string, string>, at: Date): Own {
  const named = (name: string): string => {
    const known = names.get(name) ?? likeName(name, at);
    names.set(name, known);
    return known;
  };
  return (text) => names.get(text) ?? text.replace(NAME, named);
}

function likeName(name: string, at: Date): string {
  if (name.length < 2 * HASH_BYTES) return newId('op', at).slice('op_'.length);
  return hexlify(randomBytes(HASH_BYTES)).slice(name.startsWith('0x') ? 0 : 2);
}

/** The value with every string replaced, except the names of fields. */
export function changed<T>(value: T, own: Own): T;
export function changed(value: unknown, own: Own): unknown {
  if (typeof value === 'string') return own(value);
  if (Array.isArray(value)) return value.map((item) => changed(item, own));
  if (typeof value !== 'object' || value === null || isDate(value) || !isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, changed(inner, own)]));
}
