import { payerAllowance } from '../allowances.ts';
import type { SolanaContext } from '../context.ts';
import { type Explained, lostShare } from '../explain.ts';
import type { Plan } from '../plan.ts';
import { add, addressesOf, type ChainReading, type OnTheirWay, takenFor } from './read-chain.ts';
import { simulate } from './simulate.ts';

/** A charge whose simulation succeeded. */
export interface Paying {
  readonly plan: Plan;
  /** The token accounts of its recipients that must be created. */
  readonly missing: ReadonlySet<string>;
  /** The limit of compute units for its transaction. */
  readonly units: number;
}

interface Refused {
  readonly plan: Plan;
  readonly why: Extract<Explained, { kind: 'refused' | 'undeliverable' }>;
}

/** The verdicts on charges. */
export interface Sorted {
  readonly paying: readonly Paying[];
  readonly refused: readonly Refused[];
  /** Others of the same payer are in flight, or no answer was certain: checked again soon. */
  readonly waiting: readonly Plan[];
  /** The fee payer lacks lamports for these. */
  readonly unpaid: readonly Plan[];
}

/**
 * Simulates charges against the present state, each alone. Charges of one payer go together only if allowance and
 * balance suffice for all: each would pass alone, and the last would fail on the chain.
 */
export async function sort(
  ctx: SolanaContext,
  feePayer: string,
  reading: ChainReading,
  plans: readonly Plan[],
): Promise<Sorted> {
  const sums = new Map(reading.onTheirWay);
  const refused: Refused[] = [];
  const waiting: Plan[] = [];
  const asked: Plan[] = [];
  for (const plan of plans) {
    const lost = lostShare(plan, reading.accounts);
    if (lost && reading.accounts.slot >= reading.since) refused.push({ plan, why: lost });
    else if (lost || addressesOf(plan).some((address) => reading.accounts.unread.has(address))) waiting.push(plan);
    else if (mustWait(plan, reading, sums)) waiting.push(plan);
    else {
      add(sums, plan.charge, plan.operator);
      asked.push(plan);
    }
  }
  const unpaid: Plan[] = [];
  const paying: Paying[] = [];
  for (const { plan, missing, outcome } of await simulate(ctx, feePayer, reading, asked)) {
    if (outcome === null) waiting.push(plan);
    else if (outcome.kind === 'pays') paying.push({ plan, missing, units: outcome.units });
    else if (outcome.kind === 'payer') unpaid.push(plan);
    else if (outcome.kind === 'unclear') waiting.push(plan);
    else refused.push({ plan, why: outcome });
  }
  return { paying, refused, waiting, unpaid };
}

/** True if charges of the payer are in flight, and there is not enough for all of them: their end decides. */
function mustWait(plan: Plan, reading: ChainReading, sums: Map<string, OnTheirWay>): boolean {
  const { charge, operator, gross } = plan;
  const taken = takenFor(sums, charge, operator);
  if (taken.balance === 0n) return false;
  const { allowance, balance } = payerAllowance(plan, reading.accounts);
  return allowance - taken.allowance < gross || balance - taken.balance < gross;
}
