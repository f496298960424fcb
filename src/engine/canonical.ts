import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../machines/json.ts';
import { KeyOrders } from './key-orders.ts';
import type { StoredState } from './step.ts';

const orders = new KeyOrders();

/** JSON with sorted keys: equal values give equal text, in whatever order a database returns the keys. */
export function canonical(value: Json | undefined): string {
  if (value === null) return 'null';
  if (typeof value !== 'object') return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(canonical).join(',')}]`;
  let text = '';
  for (const [key, name] of orders.sorted(Object.keys(value))) text += name + canonical(value[key]);
  return `{${text}}`;
}

/** The first 128 bits of SHA-256, base64url. A logged event has it for the state after it, and its effects. */
export function hashOf(state: StoredState, effects: readonly Json[]): string {
  return hash('sha256', canonicalState(state) + canonical(effects), 'base64url').slice(0, HASH_CHARS);
}

const HASH_CHARS = 22;

export function canonicalState(state: StoredState): string {
  return canonical({ value: state.value, context: state.context });
}

/** Gives the same answer as a comparison of the canonical texts, and is faster. */
export function isSameState(one: StoredState, other: StoredState): boolean {
  return isDeepStrictEqual([one.value, one.context], [other.value, other.context]);
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
