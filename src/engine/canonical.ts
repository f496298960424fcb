import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../machines/json.ts';
import type { StoredState } from './step.ts';

/** JSON with sorted keys: equal values give equal text, in whatever order a database returns the keys. */
export function canonical(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`;
}

/** SHA-256 of a snapshot, hex. A journal row has it for the state after its event. */
export function hashOf(state: StoredState): string {
  return createHash('sha256').update(canonicalState(state)).digest('hex');
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
