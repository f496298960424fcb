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

/** SHA-256 of a snapshot, hex. A journal row has it for the state after its event. */
export function hashOf(state: StoredState): string {
  return hash('sha256', canonicalState(state));
}

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
