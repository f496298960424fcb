import { isSameOperator } from '../../../machines/consent.ts';
import type { Effect, EffectOf } from '../../../machines/effects.ts';
import {
  migrationConsent,
  migrationWallet,
  nextCharge,
  nextTerms,
  termsOfNext,
} from '../../../machines/subscription/next-charge.ts';
import { consentIn } from '../../model/consent.ts';
import { isInFlight, isLive, subscriptionContextOf } from '../../model/subscription.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { ClaimDoc } from './claimants.ts';
import type { Reserve } from './coverage.ts';

type AllowanceName = EffectOf<'allowance.changed'>['places'][number];

/** A subscription's claim on an allowance. */
interface Claimed extends AllowanceName {
  readonly amount: string;
  /** Whether anything is reserved for it. */
  readonly isReserved: boolean;
  readonly authorizedAt: string | null;
}

/**
 * The allowances to read again after a change of a subscription: its claim on them, or its position in their order,
 * differs. None after a first authorization, because the read for it has notified all others already.
 */
export function claimChanges(before: ActorDoc, after: ActorDoc): Effect[] {
  if (after.kind !== 'subscription') return [];
  const [was, is] = [claimedOf(before), claimedOf(after)];
  if (isSame(was, is)) return [];
  const changed = [was, is].flatMap((claimed) => (claimed ? [allowanceNameOf(claimed)] : []));
  const [first, ...others] = changed;
  if (first === undefined) return [];
  const distinct = others.filter((each) => !isSameAllowance(each, first));
  return [{ type: 'allowance.changed', places: [first, ...distinct] }];
}

/** null: it has ended, or has no wallet yet. */
function claimedOf(doc: ActorDoc): Claimed | null {
  if (!isLive(doc)) return null;
  const context = subscriptionContextOf(doc);
  const { migration } = context;
  const isMigration = nextCharge(context) === 'migration' && migration !== null;
  const { terms, authorizedAt } = isMigration ? migration : context;
  const wallet = isMigration ? migrationWallet(context) : context.payerWallet;
  const consent = isMigration ? migrationConsent(context) : context.consent;
  if (wallet === null) return null;
  const { tokenKey, amount } = isMigration ? terms : termsOfNext(context);
  const isReserved = reserveOf(doc) !== 'none';
  return { tokenKey, wallet, ...consentIn(consent), amount, isReserved, authorizedAt };
}

function isSame(was: Claimed | null, is: Claimed | null): boolean {
  if (was === null || is === null) return was === is;
  return (
    isSameAllowance(was, is) &&
    was.amount === is.amount &&
    was.isReserved === is.isReserved &&
    (was.authorizedAt === null || was.authorizedAt === is.authorizedAt)
  );
}

function isSameAllowance(one: AllowanceName, other: AllowanceName): boolean {
  const isSame = one.tokenKey === other.tokenKey && one.wallet === other.wallet;
  return isSame && isSameOperator(one.consent, other.consent);
}

function allowanceNameOf({ tokenKey, wallet, consent }: Claimed): AllowanceName {
  return { tokenKey, wallet, ...consentIn(consent) };
}

/**
 * Whether the next charge of a live subscription has a reserve (docs/rules.md, "Operators, consent, allowances"). There
 * is no next charge if all cycles are paid, or if the subscription is to be canceled before it.
 */
export function reserveOf(doc: ClaimDoc): Reserve {
  const context = subscriptionContextOf(doc);
  const { open, cancelAt, cyclesCompleted } = context;
  const { maxCycles } = nextTerms(context);
  const cyclesAfter = cyclesCompleted + (open === null ? 0 : 1);
  const isLast = cancelAt !== null || (maxCycles !== null && cyclesAfter >= maxCycles);
  if (!isLast) return 'sure';
  if (open === null) return 'none';
  return isInFlight(doc) ? 'unsure' : 'sure';
}
