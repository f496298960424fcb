import fc from 'fast-check';
import type { Role } from './known.ts';

/** One of several kinds, with their weights. Findings shrink to the first kind. */
export function weighted<T>(...kinds: readonly (readonly [weight: number, kind: fc.Arbitrary<T>])[]): fc.Arbitrary<T> {
  return fc.oneof({ withCrossShrink: true }, ...kinds.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

/** Texts in «» stand for values that are known only at sending, and for numbers beyond JavaScript's. */

/** The highest number that a reference may have. */
export const NTH_MAX = 40;

/** Stands for a value of a role. `nth` null: that of the resource that the whole request is about. */
export function ref(role: Role, nth: number | null = null, isOthers = false): string {
  return `«${isOthers ? '!' : ''}${role}:${nth ?? ''}»`;
}

/** Stands for this text in JSON, without quotation marks. */
export function exactly(text: string): string {
  return `«=${text}»`;
}

export type Resolve = (role: string, nth: number | null, isOthers: boolean) => string;

/** As JSON text. A lone surrogate is written as its escape, because JSON text can carry that. */
export function jsonOf(value: unknown, resolve: Resolve): string {
  const text = JSON.stringify(value) ?? '';
  const exact = text.replaceAll(/"«=((?:[^"\\]|\\.)*?)»"/g, (_, inner: string) => String(JSON.parse(`"${inner}"`)));
  return replaced(exact, (...reference) => JSON.stringify(resolve(...reference)).slice(1, -1));
}

/** As the text of one URL parameter. */
export function plainOf(value: unknown, resolve: Resolve): string {
  if (typeof value !== 'string') return jsonOf(value, resolve);
  return replaced(/^«=(.*)»$/s.exec(value)?.[1] ?? value, resolve);
}

function replaced(text: string, resolve: Resolve): string {
  return text.replaceAll(/«(!?)(\w+):(\d*)»/g, (_, others: string, role: string, nth: string) =>
    resolve(role, nth === '' ? null : Number(nth), others !== ''),
  );
}
