import { consentIn, isSameOperator } from '../consent.ts';
import type { Credit } from '../effects.ts';
import { lessDiscount } from '../rules/discount.ts';
import { creditFor } from '../rules/proration.ts';
import type { SubscriptionContext } from './context.ts';
import { discountedIn } from './discount.ts';
import type { SubscriptionEventOf } from './events.ts';
import {
  atRest,
  blockOf,
  canStartTrial,
  changeDueAt,
  currentPeriod,
  migrationConsent,
  migrationWallet,
  NO_RISK,
  nextCycle,
} from './next-charge.ts';

type Context = SubscriptionContext;

/** Requests other terms, and replaces an earlier request. Nothing changes until they are authorized. */
export function requestMigration(context: Context, event: SubscriptionEventOf<'migration.requested'>): Context {
  const { terms, expiresAt, now, when, proration } = event;
  const request = { requestedAt: now, expiresAt, ...changeOptionsIn({ when, proration }) };
  return withMigration(context, { terms, ...request, ...UNSIGNED }, now);
}

const UNSIGNED = { wallet: null, covered: false, seenAt: null, authorizedAt: null } as const;

type ChangeOptions = Pick<NonNullable<Context['migration']>, 'when' | 'proration'>;

function changeOptionsIn({ when, proration }: { readonly [N in keyof ChangeOptions]?: ChangeOptions[N] | undefined }) {
  return { ...(when === undefined ? {} : { when }), ...(proration === undefined ? {} : { proration }) };
}

/** The new terms are not wanted any more: the present ones go on. */
export function cancelMigration(context: Context, now: string): Context {
  return withMigration(context, null, now);
}

/** A change at once decides when the next charge is due, so without one that is decided anew. */
function withMigration(before: Context, migration: Context['migration'], now: string): Context {
  const context = { ...before, migration };
  if (before.migration?.when !== 'now' || !isBetweenPeriods(context)) return context;
  return atRest({ ...context, deferred: null }, now);
}

/** Paid, and no cycle is open. */
function isBetweenPeriods({ anchor, open, ended }: Context): boolean {
  return anchor !== null && open === null && ended === null;
}

/** Why no change at once can be requested; null: one can. */
export function changeRefusal(context: Context): 'not_paid' | 'open_cycle' | 'ending' | 'paused' | null {
  if (context.open !== null || context.fallenOut.length > 0) return 'open_cycle';
  if (context.anchor === null) return 'not_paid';
  if (context.cancelAt !== null) return 'ending';
  return context.pause ? 'paused' : null;
}

/** Whether a paid period is running at `now`. */
export function isMidPeriod({ anchor, currentPeriodEnd }: Context, now: string): boolean {
  return anchor !== null && currentPeriodEnd !== null && now < currentPeriodEnd;
}

/**
 * `unread`: what the period is worth has to be read first. `postponed`: the credit would be the whole new charge, or
 * nobody knows it, so the terms begin with the next period.
 */
type ChangeVerdict = { readonly kind: 'none' | 'unread' | 'postponed' } | ChangeNow;
interface ChangeNow {
  readonly kind: 'now';
  readonly credit: Credit | null;
}

/** What becomes of a change at once at `now`, by what the running period was paid with. */
export function changeVerdict(context: Context, paid: Credit | null | undefined, now: string): ChangeVerdict {
  const { migration } = context;
  if (migration === null || changeDueAt(context) === null || !isMidPeriod(context, now)) return { kind: 'none' };
  const price = lessDiscount(context.discount, migration.terms);
  if (price === 0n) return { kind: 'postponed' };
  if (migration.proration === undefined) return { kind: 'now', credit: null };
  // A forced failure makes no charge, and is undone.
  if (paid === undefined) return context.forcedFailure === null ? { kind: 'unread' } : { kind: 'now', credit: null };
  const credit = creditOf(context, paid, now);
  return credit === null || BigInt(credit.amount) >= price ? { kind: 'postponed' } : { kind: 'now', credit };
}

/** The unused part of the running period; null: nobody knows what it was paid with. */
export function creditOf(context: Context, paid: Credit | null, now: string): Credit | null {
  const period = currentPeriod(context);
  if (paid === null || period === null) return null;
  return { ...paid, amount: creditFor(BigInt(paid.amount), period, now).toString() };
}

/** The new terms begin with the next period after all. */
export function postponeMigration(context: Context, now: string): Context {
  if (context.migration === null) return context;
  const { when: _, proration: __, ...migration } = context.migration;
  return withMigration(context, migration, now);
}

/** A new period begins at `now` under the new terms, in the middle of the one that is paid. */
export function openChange(context: Context, { credit }: ChangeNow, now: string): Context {
  const { migration, terms, payerWallet, authorizedAt, allowanceConfirmed, seenAt } = context;
  if (migration === null) return context;
  const { requestedAt, expiresAt } = migration;
  const change = {
    ...(credit === null ? {} : { credit }),
    request: { requestedAt, expiresAt, ...changeOptionsIn(migration) },
    before: { terms, payerWallet, ...consentIn(context), authorizedAt, allowanceConfirmed, seenAt },
  };
  const next = newTerms(context, now);
  const discounted = discountedIn(next);
  const amount = (BigInt(discounted.amount ?? next.terms.amount) - BigInt(credit?.amount ?? '0')).toString();
  const open = { ...nextCycle(next, now, 0, now), ...discounted, amount, change };
  return { ...next, open, lastCycle: open.number, deferred: null, wakeAt: null };
}

/**
 * The charge of a change at once has failed: terms, payer and paid period are as before, and the request is open again
 * for another signature. A wallet that has signed since remains the payer.
 */
export function undoChange(context: Context, now: string): Context {
  const { open, terms, consent: _, ...rest } = context;
  if (open?.change === undefined) return context;
  const { before, request } = open.change;
  const payer = open.payerChanged ? { ...consentIn(context), terms: before.terms } : before;
  // Another request may have come meanwhile.
  const migration = context.migration ?? { terms, ...request, ...UNSIGNED };
  const undone = { open: null, undone: open.number, deferred: null, risk: NO_RISK, migration };
  return atRest({ ...rest, ...payer, ...undone }, now);
}

/** The payer has signed. Earlier checks concern the wallet that was billed then. */
export function signMigration(context: Context, event: SubscriptionEventOf<'migration.signed'>): Context {
  const { migration } = context;
  if (migration === null) return context;
  const signed = { ...migration, wallet: event.wallet, ...consentIn(event) };
  if (!isMigrationReadFor(context, event)) {
    const unread = { ...signed, covered: false, seenAt: null, authorizedAt: null };
    return withChangeDue({ ...context, migration: unread }, event.now);
  }
  const authorizedAt = migration.authorizedAt ?? (migration.covered ? event.now : null);
  return withChangeDue({ ...context, migration: { ...signed, authorizedAt } }, event.now);
}

/** A change at once is due as soon as it is authorized, and no longer if it is not any more. */
function withChangeDue(context: Context, now: string): Context {
  const isItsTurn = context.migration?.when === 'now' && isBetweenPeriods(context) && context.deferred === null;
  return isItsTurn ? atRest(context, now) : context;
}

/** Whether the checks for the new terms concern this wallet, and the operator of this consent. */
export function isMigrationReadFor(context: Context, { wallet, consent }: Signed): boolean {
  const before = migrationConsent(context);
  return wallet === migrationWallet(context) && isSameOperator(before, consent ?? before);
}

/** The mandates that payers have signed for this subscription: of the present terms, and of those of a migration. */
export function mandateIdsOf({ consent, migration }: Pick<Context, 'consent' | 'migration'>): string[] {
  const ids = [consent?.mandateId, migration?.consent?.mandateId];
  return ids.filter((id) => typeof id === 'string');
}

/** Whether a payer has signed since the text of this event was issued. */
export function isOvertaken(
  context: Pick<Context, 'consent' | 'migration'>,
  { consent, replaces }: Pick<SubscriptionEventOf<'payer.authorized'>, 'consent' | 'replaces'>,
): boolean {
  if (replaces === undefined) return false;
  return mandateIdsOf(context).some((id) => id !== consent?.mandateId && !replaces.includes(id));
}

/** A wallet, and what it has signed. */
export type Signed = Pick<SubscriptionEventOf<'payer.authorized'>, 'wallet' | 'consent'>;

/** Records a check of the allowance for the new terms. */
export function seeMigration(context: Context, event: SubscriptionEventOf<'migration.seen'>): Context {
  const { migration } = context;
  if (migration === null) return context;
  const { covers, reading, now } = event;
  const authorizedAt = migration.authorizedAt ?? (covers && migration.wallet !== null ? now : null);
  const seenAt = blockOf(reading) ?? migration.seenAt;
  return withChangeDue({ ...context, migration: { ...migration, covered: covers, seenAt, authorizedAt } }, now);
}

/** The migration was not authorized before its link expired: it changes nothing any more. */
export function isMigrationOver({ migration }: Context, now: string): boolean {
  return migration !== null && migration.authorizedAt === null && migration.expiresAt <= now;
}

/** Before the first payment, new terms apply at once: the open cycle is over, and the next attempt is a new cycle. */
export function migrateNow(context: Context, now: string): Context {
  return atRest({ ...newTerms(context, now), open: null, deferred: null }, now);
}

/**
 * The authorization dates from when the terms were first both signed and covered. It sets this wallet's order among
 * claims.
 */
export function newTerms(context: Context, at: string): Context {
  const { migration } = context;
  if (migration === null) return context;
  return {
    ...context,
    ...(canStartTrial(context, at) ? { trialStartedAt: at } : {}),
    ...notRevoked(context),
    terms: migration.terms,
    payerWallet: migration.wallet,
    ...consentIn(migration),
    authorizedAt: migration.authorizedAt ?? at,
    allowanceConfirmed: true,
    seenAt: migration.seenAt,
    risk: NO_RISK,
    migration: null,
  };
}

export function notRevoked({ approvalRevokedAt }: Context): { readonly approvalRevokedAt?: null } {
  return approvalRevokedAt ? { approvalRevokedAt: null } : {};
}

/**
 * Until a wallet has signed the new terms, the check concerns the present payer. It says nothing about another payer.
 */
export function unlessSeenOfPayer(migration: Context['migration']): Context['migration'] {
  return migration?.wallet === null ? { ...migration, covered: false, seenAt: null } : migration;
}
