import type { ChargeDoc } from '../../../store/collections.ts';
import type { Step } from '../transaction.ts';

/** The most compute units of a transaction (Solana's own limit). */
const UNITS_MAX = 1_400_000;
/** A block may use a little more than the simulation did. */
const UNITS_MARGIN = 1.25;
const UNITS_MORE = 2_000;
/**
 * More than an instruction uses on the local chain: 150 for the budget, 513 for the memo, up to 2,277 for a transfer
 * and up to 22,525 to create an account. Unused units cost little; a transaction that lacks units costs its whole fee.
 */
const UNITS_LEAST = { budget: 150, memo: 3_000, transfer: 8_000, create: 40_000 } as const;

/**
 * The limit of compute units: more than the simulation used, at least what the instructions need whatever a node says,
 * and twice as much for each of the charge's transactions that ran out of them.
 */
export function unitLimitFor(steps: readonly Step[], simulated: number, { outOfUnits = 0 }: ChargeDoc): number {
  const least = steps.reduce((sum, { kind }) => sum + UNITS_LEAST[kind], 0);
  const limit = Math.ceil(Math.max(simulated, least) * UNITS_MARGIN) + UNITS_MORE;
  return Math.min(limit * 2 ** outOfUnits, UNITS_MAX);
}
