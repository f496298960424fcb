import { z } from 'zod';

/** An order to product or baseline: this many actors accept one event each, one by one by 32 callers or as a batch. */
export const transitionOrder = z.object({ how: z.enum(['one by one', 'many']), actors: z.int().positive() });
export type TransitionOrder = z.infer<typeof transitionOrder>;

/** The milliseconds until the last event was stored, and in the product until all its effects had run too. */
export const transitioned = z.object({ ms: z.number().positive() });

/** The callers of `one by one`, each with one event at a time. */
export const CONCURRENCY = 32;
