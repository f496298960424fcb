import { z } from 'zod';

/** What is said to a process that opens cycles, and answered when it is done. */
export const claimOrder = z.object({ type: z.enum(['work', 'rest']) });
export type ClaimOrder = z.infer<typeof claimOrder>;
export const claimAnswer = z.object({ type: z.enum(['working', 'resting']), troubles: z.array(z.string()) });
export type ClaimAnswer = z.infer<typeof claimAnswer>;
