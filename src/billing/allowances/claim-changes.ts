import type { Effect, EffectOf } from '../../../machines/effects.ts';
import { migrationWallet, nextCharge } from '../../../machines/subscription/changes.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { isLive } from '../subscriptions/live-subscriptions.ts';
import { contextOf } from '../subscriptions/record.ts';
import { reserveOf } from './reserve-kind.ts';

type AllowanceName = EffectOf<'allowance.changed'>['places'][number];

/** A subscription's claim on an allowance. */
interface Claimed extends AllowanceName {
  readonly amount: string;
  /** Whether anything is reserved for it. */
  readonly isReserved: boolean;
  readonly authorizedAt: string | null;
}

/**
 * The allowances to read again after a change of a subscription: its claim on them, or its place in their order, differs.
 * None after a first authorization, because the read for it has notified all others already.
 */
export function claimChanges(before: ActorDoc, after: ActorDoc): Effect[] {
  if (after.kind !== 'subscription') return [];
  const [was, is] = [claimedOf(before), claimedOf(after)];
  if (isSame(was, is)) return [];
  const places = [was, is].flatMap((claimed) => (claimed ? [allowanceNameOf(claimed)] : []));
  const [first, ...others] = places;
  if (first === undefined) return [];
  const distinct = others.filter((each) => each.tokenKey !== first.tokenKey || each.wallet !== first.wallet);
  return [{ type: 'allowance.changed', places: [first, ...distinct] }];
}

/** null: it has ended, or has no wallet yet. */
function claimedOf(doc: ActorDoc): Claimed | null {
  if (!isLive(doc)) return null;
  const context = contextOf(doc);
  const { migration } = context;
  const isMigration = nextCharge(context) === 'migration' && migration !== null;
  const { terms, authorizedAt } = isMigration ? migration : context;
  const wallet = isMigration ? migrationWallet(context) : context.payerWallet;
  if (wallet === null) return null;
  const { tokenKey, amount } = terms;
  return { tokenKey, wallet, amount, isReserved: reserveOf(doc) !== 'none', authorizedAt };
}

function isSame(was: Claimed | null, is: Claimed | null): boolean {
  if (was === null || is === null) return was === is;
  return (
    was.tokenKey === is.tokenKey &&
    was.wallet === is.wallet &&
    was.amount === is.amount &&
    was.isReserved === is.isReserved &&
    (was.authorizedAt === null || was.authorizedAt === is.authorizedAt)
  );
}

function allowanceNameOf({ tokenKey, wallet }: Claimed): AllowanceName {
  return { tokenKey, wallet };
}
