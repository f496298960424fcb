import type { SolanaContext } from '../context.ts';
import { type Explained, lostShare } from '../explain.ts';
import { payerAllowance } from '../payer-allowance.ts';
import type { Plan } from '../plan.ts';
import { add, type ChainReading, type OnTheirWay, takenFor } from './read-chain.ts';
import { simulate } from './simulate.ts';

/** A charge that would be made. */
export interface Paying {
  readonly plan: Plan;
  /** The token accounts of its recipients that have to be made. */
  readonly missing: ReadonlySet<string>;
  /** Compute units that it took. */
  readonly units: number;
}

export interface Refused {
  readonly plan: Plan;
  readonly why: Extract<Explained, { kind: 'refused' | 'undeliverable' }>;
}

/** What is to become of charges. */
export interface Sorted {
  readonly paying: readonly Paying[];
  readonly refused: readonly Refused[];
  /** Others of the same payer are on their way, or nothing certain was said: checked again soon. */
  readonly waiting: readonly Plan[];
  /** The fee payer lacks lamports for it. */
  readonly unpaid: readonly Plan[];
}

/**
 * Simulates charges against the present, each alone. Those of one payer are let go together only where allowance and
 * balance suffice for all: each would pass by itself, and the last would fail on the chain.
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
    if (lost) refused.push({ plan, why: lost });
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

/** Others of the payer are on their way, and there is not enough for all of them: their end decides. */
function mustWait(plan: Plan, reading: ChainReading, sums: Map<string, OnTheirWay>): boolean {
  const { charge, operator, gross } = plan;
  const taken = takenFor(sums, charge, operator);
  if (taken.balance === 0n) return false;
  const { allowance, balance } = payerAllowance(plan, reading.accounts);
  return allowance - taken.allowance < gross || balance - taken.balance < gross;
}
