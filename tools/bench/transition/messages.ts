import { z } from 'zod';

/** An order to product or baseline: this many actors accept one event each, one by one by 32 callers or as a batch. */
export const transitionOrder = z.object({ how: z.enum(['one by one', 'many']), actors: z.int().positive() });
export type TransitionOrder = z.infer<typeof transitionOrder>;

/** The milliseconds until the last event was stored, and in the product until all its effects had run too. */
export const transitioned = z.object({ ms: z.number().positive() });

/** The callers of `one by one`, each with one event at a time. */
export const CONCURRENCY = 32;

/** Calls `once` for each item, from several callers at the same time. */
export async function byCallers<T>(all: readonly T[], once: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  const caller = async (): Promise<void> => {
    for (const one of left) await once(one);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, caller));
}
