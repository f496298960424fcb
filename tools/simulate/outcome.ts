import type { Siege } from './siege/siege.ts';

export interface Outcome {
  readonly seed: number;
  /** Empty if the run had no violation. */
  readonly violations: readonly string[];
  /** SHA-256 of the trace, hex. */
  readonly hash: string;
  /** The last lines of the trace; empty if the run had no violation. */
  readonly lines: readonly string[];
  readonly simulatedMs: number;
  readonly steps: number;
  /** Charges in blocks at the end, by family of chain. */
  readonly charges: { readonly evm: number; readonly solana: number };
  /** Those of them that are under a mandate. */
  readonly mandated: number;
  /** Payments that were given back, whole or in part. */
  readonly refunded: number;
  /** Quantities that merchants and payers have set, those of sign-ups included. */
  readonly quantities: number;
  /** Subscriptions that merchants have paused. */
  readonly paused: number;
  /** Solana transactions that provably can never land. */
  readonly expired: number;
  /** Different events that the receiver got. */
  readonly events: number;
  /** How often a worker died. */
  readonly crashes: number;
  /** How often each fault happened. */
  readonly mishaps: Readonly<Record<string, number>>;
  /** Null: the seed has no hostile actors. */
  readonly siege: Omit<Siege, 'violations'> | null;
}
