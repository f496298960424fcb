import { z } from 'zod';
import { Blocked } from './context.ts';

/** A list of a node, each item read by itself: one in an unknown form is undefined, and hides no other. */
export function listOf<T>(item: z.ZodType<T>) {
  return z.array(item.optional().catch(undefined));
}

/** All items of such a list. Throws Blocked if one could not be read: for readers that may miss none. */
export function allOf<T>(kind: string, items: readonly (T | undefined)[]): T[] {
  const known = items.filter((item) => item !== undefined);
  if (known.length < items.length) throw new Blocked(`the node gives ${kind} in a form that cannot be read`);
  return known;
}
