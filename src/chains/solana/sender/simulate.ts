import type { ChargeDoc } from '../../../store/collections.ts';
import { NOTHING_CHARGED } from '../../mandate-rules.ts';
import { isRefusal, type RpcAnswer } from '../../rpc.ts';
import type { SolanaContext } from '../context.ts';
import { type Explained, explain } from '../explain.ts';
import { toBase58 } from '../keys.ts';
import type { Plan } from '../plan.ts';
import { SYSTEM_PROGRAM } from '../programs.ts';
import { tokenIn } from '../token-account.ts';
import { type Draft, draftOf, type NumberedCharge, type Step, simulationCall } from '../transaction.ts';
import { paysRent } from '../unpayable.ts';
import { simulationSchema } from '../wire.ts';
import { type ChainReading, unitPriceFor } from './read-chain.ts';

/** Far more than a charge uses. */
const UNITS_MOST = 600_000;

/** The number of a charge is decided after its simulation. No record is longer, so none needs more compute units. */
const NOT_NUMBERED_YET: NumberedCharge = {
  record: {
    number: 1,
    cycle: 1,
    state: {
      ...NOTHING_CHARGED,
      inForce: `0x${'0'.repeat(64)}`,
      taken: Array.from({ length: 9 }, (_, bucket) => ({ bucket, amount: '0' })),
    },
  },
  reference: toBase58(Buffer.alloc(32, 1)),
};

type Outcome = Explained | { readonly kind: 'pays'; readonly units: number };

export interface Simulated {
  readonly plan: Plan;
  /** The token accounts of its recipients that must be created. */
  readonly missing: ReadonlySet<string>;
  /** Null: the node did not answer, or is behind; or nodes disagree. */
  readonly outcome: Outcome | null;
}

/**
 * Simulates each charge alone, all in one request. A charge that one node refuses and another would make has no outcome
 * (docs/adr/nodes.md).
 * @throws NodeUnreachable
 */
export async function simulate(
  ctx: SolanaContext,
  feePayer: string,
  reading: ChainReading,
  plans: readonly Plan[],
): Promise<Simulated[]> {
  if (plans.length === 0) return [];
  const options = { feePayer, blockhash: reading.blockhash, units: UNITS_MOST };
  const drafts = plans.map((plan) => {
    const missing = missingOf(plan, reading);
    const numbered = plan.charge.mandate === undefined ? null : NOT_NUMBERED_YET;
    const unitPrice = unitPriceFor(reading, plan.charge);
    return { plan, missing, draft: draftOf(plan, { ...options, unitPrice, missing, numbered }) };
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

/** A charge that a node refuses to simulate, for example for its size, waits; health says why. */
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

/** The drafts that another node, which is not behind, would make (docs/adr/nodes.md). */
async function disputedBy(ctx: SolanaContext, drafts: readonly Draft[]): Promise<Set<Draft>> {
  if (drafts.length === 0) return new Set();
  const nodes = await ctx.link.upToDate(drafts.map(simulationCall));
  const disputed = drafts.filter((_, index) => nodes.some(({ answers }) => wouldPay(answers[index])));
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

/** The accounts that the charge opens. */
function missingOf({ charge, shares, token }: Plan, { accounts }: ChainReading): ReadonlySet<string> {
  if (token.program === SYSTEM_PROGRAM) return new Set();
  const opened = shares.filter(({ share }) => paysRent(charge, share));
  const missing = opened.filter(({ account }) => tokenIn(accounts.of.get(account) ?? null, token.mint) === null);
  return new Set(missing.map(({ account }) => account));
}

/** The amounts of earlier charges in the batch are not subtracted: the simulation did not know of them either. */
function outcomeOf(plan: Plan, draft: Draft, answer: RpcAnswer | undefined, reading: ChainReading): Outcome | null {
  const simulated = answer?.ok === true ? simulationSchema.safeParse(answer.result).data : undefined;
  if (simulated === undefined) return null;
  const { context, value } = simulated;
  const consumed = value.unitsConsumed ?? UNITS_MOST;
  if (value.err === null) return { kind: 'pays', units: unitLimitFor(draft.steps, consumed, plan.charge) };
  if (Math.min(context.slot, reading.accounts.slot) < reading.since) return null;
  const taken = { allowance: 0n, balance: 0n };
  const { accounts } = reading;
  return explain({ plan, steps: draft.steps, err: value.err, accounts, taken, landed: false });
}

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
function unitLimitFor(steps: readonly Step[], simulated: number, { outOfUnits = 0 }: ChargeDoc): number {
  const least = steps.reduce((sum, { kind }) => sum + UNITS_LEAST[kind], 0);
  const limit = Math.ceil(Math.max(simulated, least) * UNITS_MARGIN) + UNITS_MORE;
  return Math.min(limit * 2 ** outOfUnits, UNITS_MAX);
}
