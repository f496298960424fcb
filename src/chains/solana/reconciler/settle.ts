import { VersionedTransaction } from '@solana/web3.js';
import type { ChargeDoc } from '../../../store/collections.ts';
import { chargedFacts, type IncludedTransaction } from '../../reconciler/outcomes.ts';
import type { Followed } from '../../reconciler/reconciler.ts';
import {
  type ChargeStep,
  chargedStep,
  releasedStep,
  revertedStep,
  type Settlement,
  settleAll,
} from '../../reconciler/settle.ts';
import { noteOn } from '../allowances.ts';
import type { CheckedTokens, SolanaContext } from '../context.ts';
import { type Explained, explain, ranOutOfUnits } from '../explain.ts';
import { type Plan, planIn } from '../plan.ts';
import { ASSOCIATED_TOKEN_PROGRAM, MEMO_PROGRAM, SYSTEM_PROGRAM } from '../programs.ts';
import type { Step as InstructionStep } from '../transaction.ts';
import type { TransactionStatus } from './agree.ts';

/** So many doublings reach the most compute units that there are, from the least. */
const UNIT_DOUBLINGS = 6;

type Included = Extract<TransactionStatus, { kind: 'included' }>;

/** A transaction that is in a block, with its charges as they are stored. */
type Landing = Followed<Included>;

/** Settles transactions in blocks (`settleAll`). */
export async function settle(ctx: SolanaContext, tokens: CheckedTokens, landings: readonly Landing[]): Promise<void> {
  const settlements: Settlement[] = [];
  for (const landing of landings) {
    const steps: ChargeStep[] = [];
    for (const charge of landing.charges) steps.push(...(await stepOf(ctx, tokens, landing, charge)));
    settlements.push({ included: includedOf(landing), steps, isOpen: false });
  }
  await settleAll(ctx, settlements);
}

/** Empty if the charge is as it should be. */
async function stepOf(
  ctx: SolanaContext,
  tokens: CheckedTokens,
  landing: Landing,
  charge: ChargeDoc,
): Promise<ChargeStep[]> {
  const { status } = landing;
  if (status.err === null) {
    const included = includedOf(landing);
    const charged = chargedFacts(charge, included);
    return charged === null ? [] : [chargedStep(included, charge, charged.facts, charged.state)];
  }
  const isOpen = charge.transactionId === landing.transaction._id && charge.state !== 'refused';
  if (status.stage === 'mined' || !isOpen || charge.state === 'waiting') return [];
  return [await failedStep(ctx, tokens, landing, charge)];
}

/**
 * The transaction is in a block, and moved nothing. If the accounts show the reason, the charge is refused; else it is
 * tried again, and waits longer after each try, because each costs a fee. If only compute units were lacking, the next
 * one has twice as many, and costs no more time while that helps.
 */
async function failedStep(
  ctx: SolanaContext,
  tokens: CheckedTokens,
  landing: Landing,
  charge: ChargeDoc,
): Promise<ChargeStep> {
  const { txHash, block } = includedOf(landing);
  const plan = await planIn(ctx, tokens, charge);
  const { why, note } = plan === null ? UNKNOWN : await reasonOf(ctx, plan, landing);
  if (why?.kind === 'refused' || why?.kind === 'undeliverable') {
    const { transactionId } = charge;
    const set = { state: 'refused', transactionId, reason: why.reason, ...note, txHash, block } as const;
    return { charge, facts: [why], set };
  }
  const about = { chainId: ctx.chainId, chargeId: charge._id, txHash, err: landing.status.err };
  ctx.log.warn(about, 'transaction failed; its charge waits again');
  const lacking = charge.outOfUnits ?? 0;
  const lacksUnits = ranOutOfUnits(landing.status.err);
  if (!lacksUnits || lacking >= UNIT_DOUBLINGS) return revertedStep(ctx, charge, 1);
  const { set, ...step } = releasedStep(ctx, charge);
  return { ...step, set: { ...set, outOfUnits: lacking + 1 } };
}

/** Why a transaction failed, and a note for staff. */
interface Reason {
  readonly why: Explained | null;
  readonly note?: Pick<ChargeDoc, 'note' | 'refusal'>;
}

const UNKNOWN: Reason = { why: null };

async function reasonOf(ctx: SolanaContext, plan: Plan, { status, transaction }: Landing): Promise<Reason> {
  if (status.err === null) return UNKNOWN;
  const steps = stepsOf(plan, transaction.versions.at(-1)?.raw ?? '');
  const accounts = await ctx.link.accounts([plan.source, ...plan.shares.map(({ account }) => account)]);
  const taken = { allowance: 0n, balance: 0n };
  const why = explain({ plan, steps, err: status.err, accounts, taken, landed: true });
  return 'reason' in why ? { why, note: noteOn(why, plan, accounts) } : { why };
}

function includedOf({ transaction, status: { stage, block, err } }: Landing): IncludedTransaction {
  const txHash = transaction.versions.at(-1)?.hash ?? '';
  return { transaction, stage, block, txHash, reverted: err !== null };
}

/** The step of each instruction of a signed transaction of this charge, read from its bytes (base64). */
function stepsOf(plan: Plan, raw: string): InstructionStep[] {
  const { message } = VersionedTransaction.deserialize(Buffer.from(raw, 'base64'));
  const addresses = message.staticAccountKeys.map(String);
  return message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes }): InstructionStep => {
    const program = addresses[programIdIndex];
    const named = [...accountKeyIndexes].map((index) => addresses[index]);
    const share = (at: number) => plan.shares.find(({ account }) => account === named[at]);
    if (program === MEMO_PROGRAM) return { kind: 'memo' };
    // The second named account is the created one. The third receives tokens; the second receives lamports.
    const created = program === ASSOCIATED_TOKEN_PROGRAM ? share(1) : undefined;
    if (created) return { kind: 'create', share: created };
    const received = program === plan.token.program ? share(program === SYSTEM_PROGRAM ? 1 : 2) : undefined;
    return received ? { kind: 'transfer', share: received } : { kind: 'budget' };
  });
}
