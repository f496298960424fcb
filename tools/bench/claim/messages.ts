import { z } from 'zod';

/** The messages to a process that opens cycles, and its answers. */
export const claimOrder = z.object({ type: z.enum(['work', 'rest']) });
export type ClaimOrder = z.infer<typeof claimOrder>;
export const claimAnswer = z.object({ type: z.enum(['working', 'resting']), troubles: z.array(z.string()) });
export type ClaimAnswer = z.infer<typeof claimAnswer>;
