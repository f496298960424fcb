import { isRefusal, NodeUnreachable, type RpcAnswer } from '../../rpc.ts';
import type { SolanaContext } from '../context.ts';
import type { Explained } from '../explain.ts';
import { explain, lostShare } from '../explain.ts';
import { payerAllowance, tokenIn } from '../payer-allowance.ts';
import type { Plan } from '../plan.ts';
import { SYSTEM_PROGRAM } from '../programs.ts';
import { type Draft, draftOf, simulationCall } from '../transaction.ts';
import { simulationSchema } from '../wire.ts';
import { add, type ChainReading, type OnTheirWay, takenFor } from './read-chain.ts';

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

/** Far more than a charge takes. */
const UNITS_MOST = 600_000;

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

type Outcome = Explained | { readonly kind: 'pays'; readonly units: number };

interface Simulated {
  readonly plan: Plan;
  readonly missing: ReadonlySet<string>;
  /** Null: the node did not say. */
  readonly outcome: Outcome | null;
}

async function simulate(
  ctx: SolanaContext,
  feePayer: string,
  reading: ChainReading,
  plans: readonly Plan[],
): Promise<Simulated[]> {
  if (plans.length === 0) return [];
  const drafts = plans.map((plan) => {
    const missing = missingOf(plan, reading);
    const { blockhash, unitPrice } = reading;
    return { plan, missing, draft: draftOf(plan, { feePayer, blockhash, missing, units: UNITS_MOST, unitPrice }) };
  });
  const answers = await ctx.link.batch(drafts.map(({ draft }) => simulationCall(draft)));
  noteUnsimulated(ctx, feePayer, plans, answers);
  const outcomes = drafts.map(({ plan, draft }, index) => outcomeOf(plan, draft, answers[index], reading));
  const disputed = await disputedBy(
    ctx,
    drafts.filter((_, index) => isDenied(outcomes[index] ?? null)).map(({ draft }) => draft),
  );
  return drafts.map(({ plan, missing, draft }, index) => {
    return { plan, missing, outcome: disputed.has(draft) ? null : (outcomes[index] ?? null) };
  });
}

/** What a node refuses to simulate, for example for its size, waits; health says why. */
function noteUnsimulated(
  { troubles, log, chainId }: SolanaContext,
  feePayer: string,
  plans: readonly Plan[],
  answers: readonly RpcAnswer[],
): void {
  const refusals = answers.flatMap((answer, index) =>
    isRefusal(answer) ? [`charge ${plans[index]?.charge._id} waits: ${answer.error.message}`] : [],
  );
  const [first = null] = refusals;
  if (troubles.set(`unsimulated:${feePayer}`, first) && first !== null) {
    log.error({ chainId, charges: refusals.length }, first);
  }
}

function isDenied(outcome: Outcome | null): boolean {
  return outcome?.kind === 'refused' || outcome?.kind === 'undeliverable';
}

/** Of what one node refuses that which another would make that is not behind (docs/adr/0019-several-nodes.md). */
async function disputedBy(ctx: SolanaContext, drafts: readonly Draft[]): Promise<Set<Draft>> {
  if (ctx.link.isAlone || drafts.length === 0) return new Set();
  const said = await ctx.link.upToDate(drafts.map(simulationCall));
  const disputed = drafts.filter((_, index) => said.some(({ answers }) => wouldPay(answers[index])));
  if (disputed.length > 0) {
    ctx.log.warn(
      { chainId: ctx.chainId, count: disputed.length },
      'nodes disagree whether charges can be made; they wait',
    );
  }
  return new Set(disputed);
}

function wouldPay(answer: RpcAnswer | undefined): boolean {
  return answer?.ok === true && simulationSchema.safeParse(answer.result).data?.value.err === null;
}

function missingOf({ shares, token }: Plan, { accounts }: ChainReading): ReadonlySet<string> {
  if (token.program === SYSTEM_PROGRAM) return new Set();
  const missing = shares.filter(({ account }) => tokenIn(accounts.of.get(account) ?? null, token.mint) === null);
  return new Set(missing.map(({ account }) => account));
}

/** What charges before it in the batch take is not taken off: the simulation did not know of them either. */
function outcomeOf(plan: Plan, draft: Draft, answer: RpcAnswer | undefined, reading: ChainReading): Outcome | null {
  if (answer?.ok !== true) {
    if (answer?.error instanceof NodeUnreachable || answer === undefined) return null;
    return { kind: 'unclear' };
  }
  const { err, unitsConsumed } = simulationSchema.parse(answer.result).value;
  if (err === null) return { kind: 'pays', units: unitsConsumed ?? UNITS_MOST };
  const taken = { allowance: 0n, balance: 0n };
  return explain({ plan, steps: draft.steps, err, accounts: reading.accounts, taken, landed: false });
}
