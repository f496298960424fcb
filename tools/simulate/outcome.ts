import type { Siege } from './siege/siege.ts';

/** What a run counts, as tables call it. */
export const COUNTED = [
  ['steps', 'moments'],
  ['evm', 'charges landed on EVM'],
  ['solana', 'charges landed on Solana'],
  ['mandated', 'charges under mandates'],
  ['refunded', 'payments with refunds'],
  ['quantities', 'quantities set'],
  ['paused', 'subscriptions paused'],
  ['used', 'records of use'],
  ['credited', 'payments with a credit'],
  ['discounted', 'payments with a discount'],
  ['expired', 'transactions expired on Solana'],
  ['events', 'events received'],
  ['crashes', 'crashes'],
] as const;
export type Counts = Record<(typeof COUNTED)[number][0], number>;

export interface Outcome {
  readonly seed: number;
  /** Empty if the run had no violation. */
  readonly violations: readonly string[];
  /** SHA-256 of the trace, hex. */
  readonly hash: string;
  /** The last lines of the trace; empty if the run had no violation. */
  readonly lines: readonly string[];
  readonly simulatedMs: number;
  readonly counts: Readonly<Counts>;
  /** How often each fault happened. */
  readonly mishaps: Readonly<Record<string, number>>;
  /** Null: the seed has no hostile actors. */
  readonly siege: Omit<Siege, 'violations'> | null;
}
