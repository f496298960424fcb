import { isSameOperator, type PayerConsent } from '../consent.ts';
import type { BlockedReason, Credit } from '../effects.ts';
import { deferredUntil } from '../rules/backoff.ts';
import { noted } from '../rules/breaker.ts';
import { type DunningVerdict, hurryFrom, nextDunningAttempt, verdictOn } from '../rules/dunning.ts';
import { indexAt, periodAt } from '../rules/period.ts';
import { isWithin, quantityOf, withQuantity } from '../rules/price-model.ts';
import { creditFor } from '../rules/proration.ts';
import { nextRiskCheck } from '../rules/risk.ts';
import {
  BLOCKED_BY,
  type Canceler,
  type Deferral,
  type EndReason,
  type OpenCycle,
  type Shortage,
  type SubscriptionContext,
} from './context.ts';
import type { Reading, SubscriptionEventOf } from './events.ts';
import { awaitUsage, billUsage, usageOf } from './usage.ts';

type Context = SubscriptionContext;
type CancelRequest = SubscriptionEventOf<'cancel.requested'>;

/**
 * Opens an attempt at `now`: of the next cycle, or a further one of the open cycle. `used`: all units of a metered
 * price.
 */
export function openAttempt(before: Context, now: string, asked: boolean, used?: number): Context {
  const begun = asked ? before.begun : noted(before.begun, now);
  const context = { ...before, begun, risk: { ...before.risk, ...NO_CHECK } };
  const { open } = context;
  if (open !== null) return { ...context, open: nextAttempt(context, open, now, asked), deferred: null, wakeAt: null };
  const boundary = isMigrationReady(context) ? context.currentPeriodEnd : null;
  const next = boundary === null ? context : newTerms(context, boundary);
  const first = firstAttempt(next, now, asked, boundary);
  const period = usageOf(next, used);
  const usage = period === null ? {} : { usage: { units: period.units, from: period.since, to: now } };
  const billed = billUsage(next, now, used);
  return { ...billed, open: { ...first, ...usage }, lastCycle: first.number, deferred: null, wakeAt: null };
}

/** A period of a metered price had nothing to charge: it counts, and the next one begins. */
export function passPeriod(context: Context, now: string, used: number | undefined): Context {
  const { number, ...period } = firstAttempt(context, now, false, null);
  const isFirst = context.anchor === null;
  const passed = {
    ...billUsage(context, now, used),
    ...(isFirst ? { currentPeriodEnd: period.periodEnd } : paidPeriod(period)),
    lastCycle: number,
    cyclesCompleted: context.cyclesCompleted + 1,
    deferred: null,
    risk: NO_RISK,
  };
  const next = awaitUsage(passed, period.periodStart);
  // Until a charge has settled, the trial goes on.
  if (!isFirst) return atRest(next, now);
  const trialStartedAt = next.trialStartedAt ?? next.authorizedAt;
  return atRest({ ...next, trialEnd: next.currentPeriodEnd, trialStartedAt }, now);
}

/** With new terms the boundary becomes the anchor, and periods count from there. */
function firstAttempt(context: Context, now: string, asked: boolean, boundary: string | null): OpenCycle {
  const number = context.lastCycle + 1;
  const opened = { number, attempt: 1, openedAt: now, ...NOT_FAILED, isOverdue: false };
  if (context.anchor === null) return { ...opened, ...periodFrom(context, anchorOfFirst(context, now, asked), 0, now) };
  if (boundary !== null) return { ...opened, ...periodFrom(context, boundary, 0, now) };
  return { ...opened, ...periodFrom(context, context.anchor, context.periodIndex + 1, now) };
}

const NOT_FAILED = { failingSince: null, failedFor: null, hurried: 0 } as const;

function nextAttempt(context: Context, open: OpenCycle, now: string, asked: boolean): OpenCycle {
  const failingSince = graceWithout(context.deferred, open.failingSince, now);
  const hurried = open.hurried + (isBroughtForward(context, now, asked) ? 1 : 0);
  const { payerChanged: _, ...cycle } = unblocked(open);
  const again = { ...cycle, attempt: open.attempt + 1, openedAt: now, failingSince, hurried };
  if (open.isOverdue) return again;
  if (context.anchor === null && context.usage === undefined) return { ...again, ...periodFrom(context, now, 0, now) };
  return { ...again, ...periodFrom(context, open.anchor, open.periodIndex, now) };
}

/** Whether a chain check opened this attempt, before its day and without a request. */
function isBroughtForward(context: Context, now: string, asked: boolean): boolean {
  const day = dunningAttemptAt(context);
  return !asked && context.deferred === null && day !== null && now < day;
}

/**
 * No grace runs while the attempt cannot be made (docs/rules.md, "Money": Not attempted): the days are counted without
 * that time.
 */
function graceWithout(deferred: Context['deferred'], failingSince: string | null, now: string): string | null {
  if (deferred === null || failingSince === null) return failingSince;
  return new Date(Date.parse(failingSince) + Date.parse(now) - Date.parse(deferred.since)).toISOString();
}

/**
 * Period `index`, or the one that contains `now` if that has fully passed: a late charge pays for the present period.
 */
function periodFrom(context: Context, anchor: string, index: number, now: string) {
  const { interval } = context.terms;
  const periodIndex = Math.max(index, indexAt(anchor, interval, now));
  const { start, end } = periodAt(anchor, interval, periodIndex);
  return { anchor, periodIndex, periodStart: start, periodEnd: end };
}

/**
 * The end of the trial for the attempt at that moment; otherwise the attempt's own moment. The periods of a metered
 * price count from its beginning.
 */
function anchorOfFirst(context: Context, now: string, asked: boolean): string {
  const { trialEnd, authorizedAt, deferred, usage } = context;
  if (usage !== undefined) return usage.anchor;
  if (trialEnd === null || authorizedAt === null || asked || deferred !== null) return now;
  return authorizedAt <= trialEnd ? trialEnd : now;
}

/**
 * The open cycle is paid. Its period becomes the current one unless a later period is, and the next charge falls due at
 * the end.
 */
export function settle(context: Context, now: string): Context {
  const { open } = context;
  if (open === null) return context;
  const paid = {
    ...context,
    ...(open.isOverdue ? {} : paidPeriod(open)),
    // The end was scheduled while the change was charged.
    ...(open.change === undefined || context.cancelAt === null ? {} : { cancelAt: open.periodEnd }),
    open: null,
    cyclesCompleted: context.cyclesCompleted + 1,
    consecutiveFailures: 0,
    pastDueSince: null,
    deferred: null,
    risk: NO_RISK,
  };
  return atRest(awaitUsage(paid, open.periodStart), now);
}

function paidPeriod({ anchor, periodIndex, periodEnd }: Pick<OpenCycle, 'anchor' | 'periodIndex' | 'periodEnd'>) {
  return { anchor, periodIndex, currentPeriodEnd: periodEnd };
}

/** A started charge of a canceled subscription has settled: it is counted, and the subscription stays canceled. */
export function settleAfterEnd(context: Context): Context {
  const ended = context.ended && { ...context.ended, lastFailed: null };
  return { ...context, open: null, ended, cyclesCompleted: context.cyclesCompleted + 1, consecutiveFailures: 0 };
}

/** A settled cycle was reorged out: it is unpaid again, and waits to be reopened. */
export function reorg(context: Context, event: SubscriptionEventOf<'charge.reorged'>): Context {
  const { cycle: number, attempt, periodStart, periodEnd, now } = event;
  const fallen: OpenCycle = {
    number,
    attempt,
    openedAt: now,
    anchor: context.anchor ?? periodStart,
    periodIndex: context.periodIndex,
    ...(context.usage === undefined ? { periodStart, periodEnd } : afterUse(context, event)),
    failingSince: now,
    failedFor: 'pull_reverted',
    hurried: 0,
    isOverdue: number < context.lastCycle,
    ...amountIn(event, context.terms),
  };
  const fallenOut = [...context.fallenOut, fallen].sort((one, other) => one.number - other.number);
  return { ...context, fallenOut, cyclesCompleted: Math.max(0, context.cyclesCompleted - 1) };
}

/** The payment of a metered cycle has the period of the use; the cycle itself opens the period that follows. */
function afterUse({ anchor, terms, periodIndex }: Context, event: SubscriptionEventOf<'charge.reorged'>) {
  const { start, end } = periodAt(anchor ?? event.periodEnd, terms.interval, periodIndex);
  const usage = { units: 0, from: event.periodStart, to: event.periodEnd };
  return { periodStart: start, periodEnd: end, usage };
}

/** What the terms say may have changed. In the token of former terms no allowance is compared with the amount. */
function amountIn({ owed }: SubscriptionEventOf<'charge.reorged'>, { tokenKey }: Context['terms']) {
  return owed?.tokenKey === tokenKey ? { amount: owed.amount } : {};
}

/** The terms of the next charge, unless a migration comes before it: an open cycle may have another amount. */
export function termsOfNext({ terms, open }: Pick<Context, 'terms' | 'open'>): Context['terms'] {
  return open?.amount === undefined ? terms : { ...terms, amount: open.amount };
}

/** Reopens the oldest cycle that was reorged out: past due since `now`, with attempts on its days. */
export function reopen(context: Context, now: string): Context {
  const [next, ...others] = context.fallenOut;
  if (next === undefined) return context;
  const open = { ...next, openedAt: now, failingSince: now, isOverdue: next.number < context.lastCycle };
  const risk = { ...context.risk, ...NO_CHECK };
  return betweenAttempts({ ...context, open, fallenOut: others, pastDueSince: now, deferred: null, risk });
}

/** The consequence if the open attempt fails at `now`. */
export function verdictAt(context: Context, now: string): DunningVerdict {
  const { open } = context;
  if (open === null) throw new Error(`subscription ${context.id} has no open attempt that could fail`);
  return verdictOn({
    openedAt: open.openedAt,
    failingSince: open.failingSince ?? now,
    failures: context.consecutiveFailures + 1,
    maxFailedCycles: context.terms.maxFailedCycles,
  });
}

/** The open attempt has failed: counts the failure and schedules the next attempt, if there is one. */
export function fail(context: Context, { now, reason }: SubscriptionEventOf<'charge.failed'>): Context {
  const { open } = context;
  if (open === null) return context;
  return betweenAttempts({
    ...context,
    open: {
      ...unblocked(open),
      failingSince: open.failingSince ?? now,
      failedFor: context.forcedFailure === null ? reason : null,
    },
    consecutiveFailures: context.consecutiveFailures + 1,
    pastDueSince: context.anchor === null ? null : (context.pastDueSince ?? now),
  });
}

/** Sets `wakeAt` for a subscription whose open attempt has failed. */
export function betweenAttempts(context: Context): Context {
  return { ...context, wakeAt: earliest(context.cancelAt, dunningAttemptAt(context)) };
}

/** When the service next tries the open cycle; null: no day is left, or the subscription ends before. */
export function nextAttemptAt(context: Context): string | null {
  const at = dunningAttemptAt(context);
  return at !== null && context.cancelAt !== null && context.cancelAt <= at ? null : at;
}

function dunningAttemptAt({ open }: Context): string | null {
  return open === null || open.failingSince === null ? null : nextDunningAttempt(open.failingSince, open.openedAt);
}

/** The subscription ends with its period. If that was scheduled before, nothing changes. */
export function scheduleCancel(context: Context, event: CancelRequest): Context {
  const { currentPeriodEnd: cancelAt } = context;
  return context.cancelAt === cancelAt ? context : { ...context, ...cancelerIn(event), cancelAt };
}

export function clearCancel(context: Context): Context {
  return { ...context, cancelAt: null, ...(context.canceledBy === undefined ? {} : { canceledBy: null }) };
}

function cancelerIn({ canceledBy }: CancelRequest): { readonly canceledBy?: Canceler } {
  return canceledBy === undefined ? {} : { canceledBy };
}

/** Who ended the subscription, or has scheduled its end; null: nobody, or an older release did not note it. */
export function canceledByOf({ ended, canceledBy = null }: Context): Canceler | 'service' | null {
  if (ended === null || ended.reason === 'requested') return canceledBy;
  return ended.reason === 'customer_deleted' ? 'merchant' : 'service';
}

export function endOnRequest(context: Context, event: CancelRequest, inFlight: boolean): Context {
  return end({ ...context, ...cancelerIn(event) }, event.now, event.reason, inFlight);
}

/** Nothing falls due any more. A charge in flight stays open until its outcome is known. */
export function end(context: Context, now: string, reason: EndReason, inFlight: boolean): Context {
  const { open } = context;
  const failed = inFlight || open === null ? null : { cycle: open.number, attempt: open.attempt };
  const ended = { reason, at: now, lastFailed: failed };
  return {
    ...context,
    ended,
    open: inFlight ? open : null,
    fallenOut: [],
    migration: null,
    wakeAt: null,
    deferred: null,
    risk: NO_RISK,
  };
}

/**
 * The charge that was followed after the end has failed or was withdrawn. It is remembered, because it may still land.
 */
export function failAfterEnd(context: Context): Context {
  const { open, ended } = context;
  if (open === null || ended === null) return context;
  return { ...context, open: null, ended: { ...ended, lastFailed: { cycle: open.number, attempt: open.attempt } } };
}

/** Why the quantity cannot be changed to `quantity`; null: it can. */
export function quantityRefusal(
  context: Context,
  quantity: number,
): 'fixed_price' | 'out_of_range' | 'open_cycle' | 'migration' | null {
  const { model } = context.terms;
  if (model?.kind !== 'per_unit') return 'fixed_price';
  if (!isWithin(quantity, model)) return 'out_of_range';
  if (context.open !== null || context.fallenOut.length > 0) return 'open_cycle';
  return isMigrationReady(context) ? 'migration' : null;
}

/** True if the next cycle is for this quantity already. */
export function hasQuantity(context: Context, { quantity }: SubscriptionEventOf<'quantity.requested'>): boolean {
  return quantityOf(context.terms) === quantity;
}

/** The cycles from the next one on are for this number of units. */
export function changeQuantity(context: Context, event: SubscriptionEventOf<'quantity.requested'>): Context {
  return { ...context, terms: withQuantity(context.terms, event.quantity) };
}

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
export function changeRefusal(context: Context): 'not_paid' | 'open_cycle' | 'ending' | null {
  if (context.open !== null || context.fallenOut.length > 0) return 'open_cycle';
  if (context.anchor === null) return 'not_paid';
  return context.cancelAt === null ? null : 'ending';
}

/**
 * Since when a change at once is due: it is signed and covered, and neither a scheduled end nor the most cycles of the
 * new terms come first. null: none is.
 */
export function changeDueAt(context: Context): string | null {
  const { migration, cancelAt, cyclesCompleted } = context;
  if (migration?.when !== 'now' || cancelAt !== null || !isMigrationReady(context)) return null;
  const { maxCycles } = migration.terms;
  return maxCycles !== null && cyclesCompleted >= maxCycles ? null : migration.authorizedAt;
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
  if (migration.proration === undefined) return { kind: 'now', credit: null };
  // A forced failure makes no charge, and is undone.
  if (paid === undefined) return context.forcedFailure === null ? { kind: 'unread' } : { kind: 'now', credit: null };
  const credit = creditOf(context, paid, now);
  return credit === null || BigInt(credit.amount) >= BigInt(migration.terms.amount)
    ? { kind: 'postponed' }
    : { kind: 'now', credit };
}

/** The unused part of the running period; null: nobody knows what it was paid with. */
export function creditOf(context: Context, paid: Credit | null, now: string): Credit | null {
  const { anchor, terms, periodIndex } = context;
  if (paid === null || anchor === null) return null;
  const period = periodAt(anchor, terms.interval, periodIndex);
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
  const { migration, terms, payerWallet, authorizedAt, allowanceConfirmed, seenAt, lastCycle } = context;
  if (migration === null) return context;
  const { requestedAt, expiresAt } = migration;
  const change = {
    ...(credit === null ? {} : { credit }),
    request: { requestedAt, expiresAt, ...changeOptionsIn(migration) },
    before: { terms, payerWallet, ...consentIn(context), authorizedAt, allowanceConfirmed, seenAt },
  };
  const next = newTerms(context, now);
  const opened = { number: lastCycle + 1, attempt: 1, openedAt: now, ...NOT_FAILED, isOverdue: false };
  const amount = (BigInt(next.terms.amount) - BigInt(credit?.amount ?? '0')).toString();
  const open = { ...opened, ...periodFrom(next, now, 0, now), amount, change };
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
type Signed = Pick<SubscriptionEventOf<'payer.authorized'>, 'wallet' | 'consent'>;

function consentIn({ consent }: { readonly consent?: PayerConsent }): { readonly consent?: PayerConsent } {
  return consent === undefined ? {} : { consent };
}

/** Records a check of the allowance for the new terms. */
export function seeMigration(context: Context, event: SubscriptionEventOf<'migration.seen'>): Context {
  const { migration } = context;
  if (migration === null) return context;
  const { covers, reading, now } = event;
  const authorizedAt = migration.authorizedAt ?? (covers && migration.wallet !== null ? now : null);
  const seenAt = blockOf(reading) ?? migration.seenAt;
  return withChangeDue({ ...context, migration: { ...migration, covered: covers, seenAt, authorizedAt } }, now);
}

/**
 * The wallet whose allowance is checked for the new terms: the signer's; until somebody has signed, the present
 * payer's.
 */
export function migrationWallet({ migration, payerWallet }: Context): string | null {
  return migration?.wallet ?? payerWallet;
}

/** The consent for whose operator the allowance is checked for the new terms: the signer's, or the present one. */
export function migrationConsent({ migration, consent }: Context): PayerConsent | undefined {
  return migration?.consent ?? consent;
}

/** The migration was not authorized before its link expired: it changes nothing any more. */
export function isMigrationOver({ migration }: Context, now: string): boolean {
  return migration !== null && migration.authorizedAt === null && migration.expiresAt <= now;
}

/** Signed by the payer, and the allowance covers the new charge. */
export function isMigrationReady({ migration }: Context): boolean {
  return migration !== null && migration.wallet !== null && migration.covered;
}

/** The terms of the next cycle. */
export function nextTerms(context: Context): Context['terms'] {
  return context.migration !== null && isMigrationReady(context) ? context.migration.terms : context.terms;
}

/** Which charge comes next: under the present terms, or under those that wait for the boundary. */
export function nextCharge(context: Context): 'charge' | 'migration' {
  return context.open === null && isMigrationReady(context) ? 'migration' : 'charge';
}

/** Before the first payment, new terms apply at once: the open cycle is over, and the next attempt is a new cycle. */
export function migrateNow(context: Context, now: string): Context {
  return atRest({ ...newTerms(context, now), open: null, deferred: null }, now);
}

/**
 * The authorization dates from when the terms were first both signed and covered. It sets this wallet's order among
 * claims.
 */
function newTerms(context: Context, at: string): Context {
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

/** The due charge cannot be attempted for a reason outside the payer's control: it is checked again later. */
export function defer(context: Context, now: string, why: Deferral): Context {
  const times = context.deferred?.why === why ? context.deferred.times + 1 : 1;
  const deferred = { why, since: context.deferred?.since ?? now, times };
  const risk = { ...context.risk, lookAt: null };
  return { ...context, deferred, risk, wakeAt: earliest(context.cancelAt, deferredUntil(times - 1, now)) };
}

/**
 * Why a due or open charge is not made; null: nothing blocks it except possibly the payer's money (`blockedReason`).
 */
export function blockedReasonOf({ deferred, open, ended }: Context): BlockedReason | null {
  if (ended !== null) return null;
  return deferred === null ? (open?.blockedFor ?? null) : BLOCKED_BY[deferred.why];
}

/** The charge of the open attempt is blocked. */
export function block(context: Context, reason: BlockedReason): Context {
  return context.open === null ? context : { ...context, open: { ...context.open, blockedFor: reason } };
}

/** The charge of the open attempt is no longer blocked. */
export function unblock(context: Context): Context {
  return context.open === null ? context : { ...context, open: unblocked(context.open) };
}

function unblocked({ blockedFor: _, ...open }: OpenCycle): OpenCycle {
  return open;
}

/** Whether a due charge is not attempted, for any reason. */
export function isDeferred(context: Context, now: string): boolean {
  return context.deferred !== null && isDeferredFor(context, context.deferred.why, now);
}

/** Whether a due charge waits for this reason to end. */
export function isDeferredFor(context: Context, why: Deferral, now: string): boolean {
  if (context.deferred?.why !== why) return false;
  const due = context.open === null ? chargeDueAt(context) : now;
  return due !== null && due <= now;
}

/** The deferred charge is due now. If it is still not ready, the pauses start again at the shortest. */
export function liftDeferral(context: Context, now: string): Context {
  const { deferred } = context;
  return deferred === null ? context : { ...context, deferred: { ...deferred, times: 1 }, wakeAt: now };
}

/** Records a check of the allowance. The first one that covers the charge is the authorization. */
export function seeAllowance(context: Context, event: SubscriptionEventOf<'allowance.seen' | 'risk.seen'>): Context {
  const authorizedAt = context.authorizedAt ?? (event.covers ? event.now : null);
  const short = context.risk.short === null ? null : shortageOf(event);
  const seenAt = blockOf(event.reading) ?? context.seenAt;
  const seen = { ...context, allowanceConfirmed: event.covers, authorizedAt, seenAt, risk: { ...context.risk, short } };
  const begins = context.authorizedAt === null && canStartTrial(context, event.now);
  if (event.covers) return { ...seen, ...notRevoked(context), ...(begins ? { trialStartedAt: event.now } : {}) };
  // A first attempt under way may have used the allowance up.
  const isRevoked = event.revoked && context.allowanceConfirmed && context.open?.failingSince !== null;
  return isRevoked ? { ...seen, approvalRevokedAt: event.now } : seen;
}

function notRevoked({ approvalRevokedAt }: Context): { readonly approvalRevokedAt?: null } {
  return approvalRevokedAt ? { approvalRevokedAt: null } : {};
}

/** The shortage that a check found; null: none. */
export function shortageOf({ covers, payable }: { covers: boolean; payable: boolean }): Shortage | null {
  if (!covers) return 'insufficient_allowance';
  return payable ? null : 'insufficient_balance';
}

/** Whether a check concerns the next charge and is not older than the last one seen. */
export function isNew(context: Context, reading: Reading | undefined): boolean {
  if (reading === undefined) return true;
  if (nextCharge(context) === 'migration') return isNewForMigration(context, reading);
  const { payerWallet: wallet, consent } = context;
  return isAbout({ terms: termsOfNext(context), wallet, consent }, reading) && isNewer(context.seenAt, reading);
}

/** The same for the terms that a migration waits to apply. */
export function isNewForMigration(context: Context, reading: Reading | undefined): boolean {
  const { migration } = context;
  if (migration === null) return false;
  if (reading === undefined) return true;
  const { terms, seenAt } = migration;
  const about = { terms, wallet: migrationWallet(context), consent: migrationConsent(context) };
  return isAbout(about, reading) && isNewer(seenAt, reading);
}

/** The charge that a reading has to be about. */
interface ReadCharge {
  readonly terms: Context['terms'];
  readonly wallet: string | null;
  readonly consent: PayerConsent | undefined;
}

function isAbout({ terms, wallet, consent }: ReadCharge, reading: Reading): boolean {
  const isSameCharge = terms.priceId === reading.priceId && terms.tokenKey === reading.tokenKey;
  const isSameAmount = reading.amount === undefined || reading.amount === terms.amount;
  return isSameCharge && isSameAmount && wallet === reading.wallet && isSameOperator(consent, reading.consent);
}

/** Blocks of different chains have no order. */
function isNewer(seen: Context['seenAt'], { chainId, block }: Reading): boolean {
  return block === null || seen === null || seen.chainId !== chainId || block >= seen.block;
}

function blockOf(reading: Reading | undefined): Context['seenAt'] {
  if (reading === undefined || reading.block === null) return null;
  return { chainId: reading.chainId, block: reading.block };
}

/** The time of a check before the charge has come: this check is awaited, and the next one is scheduled. */
export function awaitRisk(context: Context, now: string): Context {
  const next = atRest(context, now);
  return { ...next, risk: { ...next.risk, isAwaited: true } };
}

/** Records the result of that check. */
export function seeRisk(context: Context, event: SubscriptionEventOf<'risk.seen'>): Context {
  const seen = seeAllowance(context, event);
  return { ...seen, risk: { ...seen.risk, isAwaited: false, short: shortageOf(event) } };
}

const NO_CHECK = { lookAt: null, isAwaited: false } as const;
const NO_RISK = { ...NO_CHECK, short: null } as const;

/**
 * Whether a chain check can show that a further attempt would succeed: after a shortage of allowance or balance, or
 * after a failed charge of another wallet. A deferred charge waits for something else.
 */
export function isWatchable(context: Context): boolean {
  const failedFor = context.open?.failedFor ?? null;
  if (failedFor === null || context.forcedFailure !== null || context.deferred !== null) return false;
  if (context.authorizedAt === null || context.open?.payerChanged === true) return true;
  return failedFor === 'insufficient_allowance' || failedFor === 'insufficient_balance';
}

/** A chain check recently brought an attempt forward, and it failed: wait for the scheduled day or the pause. */
export function isHurried({ open }: Context, now: string): boolean {
  return open !== null && now < hurryFrom(open.openedAt, open.hurried);
}

/**
 * The wallet is billed from now on, by its new consent; the allowance is checked anew, unless wallet and operator are
 * the same. An attempt in flight continues unchanged. An awaited check applies to this wallet if a charge is due in any
 * case. If no charge is due before the first authorization, no check is awaited any more.
 */
export function linkPayer(context: Context, signed: Signed): Context {
  if (!isOtherPayer(context, signed)) return context;
  const { open } = context;
  const linked = {
    ...context,
    open: open === null ? null : { ...open, payerChanged: true as const },
    payerWallet: signed.wallet,
    ...consentIn(signed),
  };
  if (context.payerWallet === signed.wallet && isSameOperator(context.consent, linked.consent)) return linked;
  const risk = context.anchor === null ? NO_RISK : context.risk;
  const migration = unlessSeenOfPayer(context.migration);
  return {
    ...linked,
    authorizedAt: null,
    allowanceConfirmed: false,
    ...notRevoked(context),
    seenAt: null,
    risk,
    migration,
  };
}

/** Whether another wallet is billed from now on, or the same one with another consent. */
export function isOtherPayer({ payerWallet, consent: before }: Context, { wallet, consent }: Signed): boolean {
  if (payerWallet !== wallet) return true;
  return consent !== undefined && !(consent.mandateId === before?.mandateId && consent.router === before?.router);
}

/**
 * Until a wallet has signed the new terms, the check concerns the present payer. It says nothing about another payer.
 */
function unlessSeenOfPayer(migration: Context['migration']): Context['migration'] {
  return migration?.wallet === null ? { ...migration, covered: false, seenAt: null } : migration;
}

/** Sets `wakeAt` for a subscription without an open attempt: the next check before the charge, or the next due time. */
export function atRest(context: Context, now: string): Context {
  const lookAt = riskCheckAt(context, now);
  const due = earliest(context.cancelAt, chargeDueAt(context));
  return { ...context, risk: { ...context.risk, lookAt }, wakeAt: earliest(lookAt, due) };
}

/** No check where no charge will follow, or where its amount is not known before. */
function riskCheckAt(context: Context, now: string): string | null {
  if (context.usage !== undefined) return null;
  const { cancelAt, cyclesCompleted, anchor, authorizedAt } = context;
  const chargeAt = chargeDueAt(context);
  const { maxCycles } = nextTerms(context);
  if (chargeAt === null || (cancelAt !== null && cancelAt <= chargeAt)) return null;
  if (maxCycles !== null && cyclesCompleted >= maxCycles) return null;
  if (anchor === null) return authorizedAt === null ? null : nextRiskCheck(authorizedAt, chargeAt, now);
  return nextRiskCheck(periodAt(anchor, context.terms.interval, context.periodIndex).start, chargeAt, now);
}

/**
 * When something falls due: a charge, an attempt, or the end. `wakeAt` is earlier where a check of the chain comes
 * first. Null: it waits for an event.
 */
export function dueAt(context: Context): string | null {
  return context.risk.lookAt === null ? context.wakeAt : earliest(context.cancelAt, chargeDueAt(context));
}

/** Whether the wake-up at `now` is only for a check before the charge. */
export function isOnlyCheckDue(context: Context, now: string): boolean {
  const { lookAt } = context.risk;
  const due = dueAt(context);
  return lookAt !== null && lookAt <= now && (due === null || due > now);
}

/** Whether a trial is running at `now` that starts if the payer agrees. */
export function canStartTrial({ trialStartedAt, trialEnd, anchor, open }: Context, now: string): boolean {
  return trialStartedAt === null && anchor === null && open === null && trialEnd !== null && now < trialEnd;
}

/** When the next charge falls due while none is open; null: not authorized yet. */
export function chargeDueAt(context: Context): string | null {
  if (context.anchor !== null) return earliest(changeDueAt(context), context.currentPeriodEnd);
  const { authorizedAt, trialEnd } = context;
  if (authorizedAt === null || trialEnd === null) return authorizedAt;
  return latest(authorizedAt, trialEnd);
}

function earliest(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return inOrder(one, other)[0];
}

function latest(one: string, other: string): string {
  return inOrder(one, other)[1];
}

/** Timestamps in one ISO 8601 form sort as text. */
function inOrder(one: string, other: string): [string, string] {
  return one <= other ? [one, other] : [other, one];
}
