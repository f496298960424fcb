import { z } from 'zod';
import { SHARE_REASON } from '../charges.ts';
import type { AllowanceState, RefusalFact } from '../port.ts';
import type { Accounts } from './link.ts';
import { payerAllowance, tokenIn } from './payer-allowance.ts';
import type { Plan, PlannedShare } from './plan.ts';
import { SYSTEM_PROGRAM } from './programs.ts';
import type { Step } from './transaction.ts';
import { whyUnpayable } from './unpayable.ts';
import type { WireError } from './wire.ts';

/**
 * What a failure is to the payment. `payer`: whoever pays the fees lacks lamports, so the charge waits. `unclear`: nothing
 * that follows from it is certain; it is asked again.
 */
export type Explained = RefusalFact | { readonly kind: 'payer' } | { readonly kind: 'unclear' };

export interface Failure {
  readonly plan: Plan;
  readonly steps: readonly Step[];
  readonly err: WireError;
  /** The payer's and the recipients' accounts as they are now: errors alone do not tell what is lacking. */
  readonly accounts: Accounts;
  /** What charges that are on their way take of the same allowance and balance. */
  readonly taken: AllowanceState;
  readonly landed: boolean;
}

/** Numbers of the token programs' own errors that say no more than another number or account would. */
const AMBIGUOUS = new Set([1, 4, 17]);

/** Lamports that are lacking show as this number of the System program's, called to make an account. */
export const SYSTEM_LACKS = 1;

/** The fee payer of a transaction is absent, or has too few lamports. */
export const PAYER_ERRORS: ReadonlySet<string> = new Set([
  'AccountNotFound',
  'InsufficientFundsForFee',
  'InvalidAccountForFee',
]);

/**
 * The reason of a failed charge, as the reference names it. The chain has one error, "insufficient funds", for allowance and
 * balance, and shows a used-up allowance as a revoked one. So this reads the payer's account, and checks the allowance first.
 */
export function explain(failure: Failure): Explained {
  const { err, steps } = failure;
  if (typeof err === 'string') return PAYER_ERRORS.has(err) ? { kind: 'payer' } : { kind: 'unclear' };
  if ('InsufficientFundsForRent' in err) return ofRent(failure.plan, err['InsufficientFundsForRent']);
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
    default: {
      const never: never = step;
      throw new Error(`Unknown step ${String(never)}`);
    }
  }
}

/** The account, by its number among those of the transaction: any but the fee payer's, which is the first. */
const rentSchema = z.object({ account_index: z.int().positive() });

/** Lamports must leave nothing in an account, or what keeps it; and bring so much. */
function ofRent({ token, shares: [share] }: Plan, cause: unknown): Explained {
  const isFeePayers = !rentSchema.safeParse(cause).success;
  return token.program !== SYSTEM_PROGRAM || isFeePayers || share === undefined
    ? { kind: 'payer' }
    : undeliverable(share);
}

function ofTransfer(failure: Failure, share: PlannedShare, cause: unknown): Explained {
  const { plan, accounts, taken, landed } = failure;
  const source = accounts.of.get(plan.source) ?? null;
  const { allowance, balance } = payerAllowance(plan, accounts);
  if (allowance - taken.allowance < plan.gross) return { kind: 'refused', reason: 'insufficient_allowance', landed };
  if (balance - taken.balance < plan.gross) return { kind: 'refused', reason: 'insufficient_balance', landed };
  if (tokenIn(source, plan.token.mint)?.state === 'frozen') return { kind: 'refused', reason: 'pull_reverted', landed };
  const target = accounts.of.get(share.account) ?? null;
  if (tokenIn(target, plan.token.mint)?.state === 'frozen') return undeliverable(share);
  const custom = customOf(cause);
  // The accounts changed between the two reads, so their former state is unknown.
  if (custom === null || AMBIGUOUS.has(custom)) return { kind: 'unclear' };
  const isFirst = plan.shares[0] === share;
  return isFirst ? { kind: 'refused', reason: 'pull_reverted', landed } : undeliverable(share);
}

/** A share that would be lost with its recipient. Null: there is none. */
export function lostShare({ shares }: Plan, accounts: Accounts): RefusalFact | null {
  const lost = shares.find(({ share }) => whyUnpayable(accounts.of.get(share.to) ?? null) !== null);
  return lost ? undeliverable(lost) : null;
}

function undeliverable({ share }: PlannedShare): RefusalFact {
  return { kind: 'undeliverable', reason: SHARE_REASON[share.role] };
}

/** The number of a program's own error. */
export function customOf(cause: unknown): number | null {
  if (typeof cause !== 'object' || cause === null || !('Custom' in cause)) return null;
  return typeof cause.Custom === 'number' ? cause.Custom : null;
}
