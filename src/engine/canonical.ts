import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../machines/json.ts';
import type { StoredState } from './step.ts';

export const CHARACTERS_MAX = 200_000;

type Field = readonly [key: string, text: string];

/** The keys of an object in one order: the path from the root. */
class Shape extends Map<string, Shape> {
  fields: readonly Field[] | null = null;
}

/**
 * Sorts the keys of objects, and keeps the result for the next object with the same keys in the same order: to sort
 * takes longer than to write. Merchants name some keys and may send ever new ones, so above CHARACTERS_MAX all are
 * forgotten.
 */
export class KeyOrders {
  #root = new Shape();
  size = 0;

  /** The keys in the order of their UTF-16 code units, each as JSON has it before the value. */
  sorted(keys: readonly string[]): readonly Field[] {
    let shape = this.#root;
    for (const key of keys) {
      const next = shape.get(key) ?? new Shape();
      shape.set(key, next);
      shape = next;
    }
    if (shape.fields !== null) return shape.fields;
    shape.fields = [...keys].sort().map((key, index) => [key, `${index > 0 ? ',' : ''}${JSON.stringify(key)}:`]);
    this.size += shape.fields.reduce((sum, [, text]) => sum + text.length, 0);
    if (this.size > CHARACTERS_MAX) [this.#root, this.size] = [new Shape(), 0];
    return shape.fields;
  }
}

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
