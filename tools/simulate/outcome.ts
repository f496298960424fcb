import { z } from 'zod';

/** The result of one seed. */
export const outcomeSchema = z.object({
  seed: z.number(),
  /** Empty if the run had no violation. */
  violations: z.array(z.string()),
  /** SHA-256 of the trace, hex. */
  hash: z.string(),
  /** The last lines of the trace; empty if the run had no violation. */
  lines: z.array(z.string()),
  simulatedMs: z.number(),
  steps: z.number(),
  /** Charges in blocks at the end, by family of chain. */
  charges: z.object({ evm: z.number(), solana: z.number() }),
  /** Those of them that are under a mandate. */
  mandated: z.number(),
  /** Solana transactions that provably can never land. */
  expired: z.number(),
  /** Different events that the receiver got. */
  events: z.number(),
  /** How often a worker died. */
  crashes: z.number(),
  /** How often each fault happened. */
  mishaps: z.record(z.string(), z.number()),
});
export type Outcome = z.infer<typeof outcomeSchema>;
