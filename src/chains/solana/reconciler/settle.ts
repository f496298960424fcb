import { VersionedTransaction } from '@solana/web3.js';
import type { ChargeDoc, TransactionDoc } from '../../../store/collections.ts';
import { asSeen, oneReleaseMore } from '../../charges.ts';
import { later } from '../../context.ts';
import { type ChargeNotice, notifyFromReconciler } from '../../notify.ts';
import { chargedFacts, type IncludedTransaction, moveTransactions } from '../../reconciler/outcomes.ts';
import type { Followed } from '../../reconciler/reconciler.ts';
import { noteOn } from '../allowances.ts';
import type { SolanaContext } from '../context.ts';
import { type Explained, explain } from '../explain.ts';
import type { CheckedTokens } from '../link.ts';
import { type Plan, planIn } from '../plan.ts';
import { ASSOCIATED_TOKEN_PROGRAM, MEMO_PROGRAM, SYSTEM_PROGRAM } from '../programs.ts';
import type { Step as InstructionStep } from '../transaction.ts';
import type { TransactionStatus } from './agree.ts';

type Included = Extract<TransactionStatus, { kind: 'included' }>;

/** A transaction that is in a block, with its charges as they are stored. */
type Landing = Followed<Included>;

/** A notice about one charge, and the change of its document after the payment has taken the notice. */
interface Step extends ChargeNotice {
  readonly landing: Landing;
  readonly set: { readonly [path: string]: unknown };
}

/**
 * Notifies the payments, and then changes charges and transactions. A transaction changes only after its charges: after
 * an interruption or a refusal the next check finds the transaction again, and notifies again.
 */
export async function settle(ctx: SolanaContext, tokens: CheckedTokens, landings: readonly Landing[]): Promise<void> {
  const steps: Step[] = [];
  for (const landing of landings) {
    for (const charge of landing.charges) steps.push(...(await stepOf(ctx, tokens, landing, charge)));
  }
  const reported = await notifyFromReconciler(ctx, steps);
  const moved = await moveCharges(ctx, reported);
  const open = new Set(steps.filter((step) => !moved.has(step)).map(({ landing }) => landing));
  await moveTransactions(ctx, landings.filter((landing) => !open.has(landing)).map(includedOf));
}

/** Empty if the charge is as it should be. */
async function stepOf(ctx: SolanaContext, tokens: CheckedTokens, landing: Landing, charge: ChargeDoc): Promise<Step[]> {
  const { status } = landing;
  if (status.err === null) return chargedStep(ctx, landing, charge);
  const isOpen = charge.transactionId === landing.transaction._id && charge.state !== 'refused';
  if (status.stage === 'mined' || !isOpen || charge.state === 'waiting') return [];
  return [await failedStep(ctx, tokens, landing, charge)];
}

function chargedStep(ctx: SolanaContext, landing: Landing, charge: ChargeDoc): Step[] {
  const { stage, block } = landing.status;
  const txHash = signatureOf(landing.transaction);
  const charged = chargedFacts(charge, txHash, block, stage);
  if (charged === null) return [];
  const { facts, state } = charged;
  const { _id: transactionId } = landing.transaction;
  const set = { state, transactionId, txHash, block, reason: null, updatedAt: ctx.clock() };
  return [{ landing, charge, facts, set }];
}

/**
 * The transaction is in a block, and moved nothing. If the accounts show the reason, the charge is refused; else it is
 * tried again.
 */
async function failedStep(
  ctx: SolanaContext,
  tokens: CheckedTokens,
  landing: Landing,
  charge: ChargeDoc,
): Promise<Step> {
  const { status, transaction } = landing;
  const txHash = signatureOf(transaction);
  const plan = await planIn(ctx, tokens, charge);
  const { why, note } = plan === null ? UNKNOWN : await reasonOf(ctx, plan, landing);
  if (why?.kind === 'refused' || why?.kind === 'undeliverable') {
    const { block } = status;
    const set = { state: 'refused', reason: why.reason, ...note, txHash, block, updatedAt: ctx.clock() };
    return { landing, charge, facts: [why], set };
  }
  const about = { chainId: ctx.chainId, chargeId: charge._id, txHash, err: status.err };
  ctx.log.warn(about, 'transaction failed; its charge waits again');
  return {
    landing,
    charge,
    facts: [{ kind: 'released' }],
    set: {
      state: 'waiting',
      lane: null,
      transactionId: null,
      ...oneReleaseMore(charge),
      notBefore: later(ctx, ctx.timing.postponeMs),
      updatedAt: ctx.clock(),
    },
  };
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

async function moveCharges(ctx: SolanaContext, steps: readonly Step[]): Promise<Set<Step>> {
  const moved = await ctx.records.changeMany(
    'charges',
    steps.map(({ charge, set }) => ({ id: charge._id, where: asSeen(charge), change: { set } })),
  );
  return new Set(steps.filter((_, index) => moved[index] === true));
}

function includedOf({ transaction, status: { stage, block, err } }: Landing): IncludedTransaction {
  return { transaction, stage, block, txHash: signatureOf(transaction), reverted: err !== null };
}

function signatureOf({ versions }: TransactionDoc): string {
  return versions.at(-1)?.hash ?? '';
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
