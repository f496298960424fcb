import { z } from 'zod';

/** So many actors take one event each, one by one by 32 callers or as a batch; said to the product and to the baseline alike. */
export const transitionOrder = z.object({ how: z.enum(['one by one', 'many']), actors: z.int().positive() });
export type TransitionOrder = z.infer<typeof transitionOrder>;

/** How long it took until the last one was stored, and for the product until everything behind it had run too. */
export const transitioned = z.object({ ms: z.number().positive() });

/** Callers of `one by one`, each with one event under way at a time. */
export const CONCURRENCY = 32;

/** Calls `once` for each of these, by so many callers side by side. */
export async function byCallers<T>(all: readonly T[], once: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  const caller = async (): Promise<void> => {
    for (const one of left) await once(one);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, caller));
}
