import { z } from 'zod';

/** What came of one seed. */
export const outcomeSchema = z.object({
  seed: z.number(),
  /** None, where everything holds. */
  violations: z.array(z.string()),
  /** SHA-256 of everything that happened, hex. */
  hash: z.string(),
  /** The end of what happened; empty where everything holds. */
  lines: z.array(z.string()),
  simulatedMs: z.number(),
  steps: z.number(),
  /** Charges that are in a block at the end, by family of chain. */
  charges: z.object({ evm: z.number(), solana: z.number() }),
  /** Transactions on Solana of which it was proven that they never will be in a block. */
  expired: z.number(),
  /** Different events that have come to the receiver. */
  events: z.number(),
  /** How often a worker has died. */
  crashes: z.number(),
  /** How often what went wrong. */
  mishaps: z.record(z.string(), z.number()),
});
export type Outcome = z.infer<typeof outcomeSchema>;
