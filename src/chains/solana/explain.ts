import { z } from 'zod';
import { unknownCase } from '../../../machines/unknown-case.ts';
import { SHARE_REASON } from '../charges.ts';
import type { AllowanceState, RefusalFact } from '../port.ts';
import { payerAllowance } from './allowances.ts';
import type { Accounts } from './context.ts';
import type { Plan, PlannedShare } from './plan.ts';
import { SYSTEM_PROGRAM } from './programs.ts';
import { tokenIn } from './token-account.ts';
import type { Step } from './transaction.ts';
import { whyUnpayable } from './unpayable.ts';
import type { WireError } from './wire.ts';

/** `payer`: the fee payer lacks lamports, so it waits. `unclear`: nothing certain, so it is tried again. */
export type Explained = RefusalFact | { readonly kind: 'payer' } | { readonly kind: 'unclear' };

export interface Failure {
  readonly plan: Plan;
  readonly steps: readonly Step[];
  readonly err: WireError;
  /** The present accounts of the payer and the recipients: errors alone do not show the missing account. */
  readonly accounts: Accounts;
  /** The amounts that charges in flight take from the same allowance and balance. */
  readonly taken: AllowanceState;
  readonly landed: boolean;
}

/** Errors of the token programs whose number alone does not name the cause. */
const AMBIGUOUS = new Set([1, 4, 17]);

/** The System program's error if lamports are missing to create an account. */
export const SYSTEM_LACKS = 1;

/** Errors that mean that the fee payer does not exist, or has too few lamports. */
export const PAYER_ERRORS: ReadonlySet<string> = new Set([
  'AccountNotFound',
  'InsufficientFundsForFee',
  'InvalidAccountForFee',
]);

/**
 * Finds the reason of a failed charge, as the reference names it. The chain has one error, "insufficient funds", for
 * allowance and balance, and shows a used-up allowance as a revoked one. So this reads the payer's account, and checks
 * the allowance first.
 */
export function explain(failure: Failure): Explained {
  const { err, steps } = failure;
  if (typeof err === 'string') return PAYER_ERRORS.has(err) ? { kind: 'payer' } : { kind: 'unclear' };
  if ('InsufficientFundsForRent' in err) return ofRent(failure.plan, err['InsufficientFundsForRent']);
  if (ranOutOfUnits(err)) return { kind: 'unclear' };
  const [index, cause] = Array.isArray(err['InstructionError']) ? err['InstructionError'] : [];
  const step = typeof index === 'number' ? steps[index] : undefined;
  switch (step?.kind) {
    case 'create':
      return customOf(cause) === SYSTEM_LACKS ? { kind: 'payer' } : undeliverable(step.share);
    case 'transfer':
      return ofTransfer(failure, step.share, cause);
    case 'budget':
    case 'memo':
    case undefined:
      return { kind: 'unclear' };
    default:
      return unknownCase(step, 'step');
  }
}

/** True if compute units ran out, in a program or in the chain's own code: the instruction itself may be right. */
export function ranOutOfUnits(err: WireError | null): boolean {
  return /ProgramFailedToComplete|ComputationalBudgetExceeded/.test(JSON.stringify(err));
}

/** The number of the account among those of the transaction. The fee payer is number 0, which does not match. */
const rentSchema = z.object({ account_index: z.int().positive() });

/** A transfer of lamports must leave nothing or enough to keep the account, and bring enough to keep the other. */
function ofRent({ token, shares: [share] }: Plan, cause: unknown): Explained {
  const isFeePayers = !rentSchema.safeParse(cause).success;
  if (isFeePayers) return { kind: 'payer' };
  // Whoever owns another account of a token's transfer decides what it holds: it says nothing about the fee payer.
  return token.program !== SYSTEM_PROGRAM || share === undefined ? { kind: 'unclear' } : undeliverable(share);
}

function ofTransfer(failure: Failure, share: PlannedShare, cause: unknown): Explained {
  const { plan, steps, accounts, taken, landed } = failure;
  const source = accounts.of.get(plan.source) ?? null;
  const { allowance, balance } = payerAllowance(plan, accounts);
  if (allowance - taken.allowance < plan.gross) return { kind: 'refused', reason: 'insufficient_allowance', landed };
  if (balance - taken.balance < plan.gross) return { kind: 'refused', reason: 'insufficient_balance', landed };
  if (tokenIn(source, plan.token.mint)?.state === 'frozen') return { kind: 'refused', reason: 'pull_reverted', landed };
  const target = accounts.of.get(share.account) ?? null;
  if (tokenIn(target, plan.token.mint)?.state === 'frozen') return undeliverable(share);
  const isOpened = steps.some((step) => step.kind === 'create' && step.share === share);
  if (!isOpened && tokenIn(target, plan.token.mint) === null) return undeliverable(share);
  const custom = customOf(cause);
  // The accounts changed between the two reads, so their former state is unknown.
  if (custom === null || AMBIGUOUS.has(custom)) return { kind: 'unclear' };
  const isFirst = plan.shares[0] === share;
  return isFirst ? { kind: 'refused', reason: 'pull_reverted', landed } : undeliverable(share);
}

/** The refusal for a share whose recipient could never use it. Null: there is no such share. */
export function lostShare({ shares }: Plan, accounts: Accounts): RefusalFact | null {
  const lost = shares.find(({ share }) => whyUnpayable(accounts.of.get(share.to) ?? null) !== null);
  return lost ? undeliverable(lost) : null;
}

function undeliverable({ share }: PlannedShare): RefusalFact {
  return { kind: 'undeliverable', reason: SHARE_REASON[share.role] };
}

/** The number of a program's own error. Null: the cause is no such error. */
export function customOf(cause: unknown): number | null {
  if (typeof cause !== 'object' || cause === null || !('Custom' in cause)) return null;
  return typeof cause.Custom === 'number' ? cause.Custom : null;
}
