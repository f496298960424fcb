import { consentIn, isSameOperator } from '../consent.ts';
import type { BlockedReason } from '../effects.ts';
import { deferredUntil } from '../rules/backoff.ts';
import { noted } from '../rules/breaker.ts';
import { discountOn } from '../rules/discount.ts';
import { type DunningVerdict, hurryFrom, verdictOn } from '../rules/dunning.ts';
import { later, periodAt } from '../rules/period.ts';
import { isWithin, quantityOf, withQuantity } from '../rules/price-model.ts';
import {
  BLOCKED_BY,
  type Canceler,
  type Deferral,
  type EndReason,
  type OpenCycle,
  type Shortage,
  type SubscriptionContext,
} from './context.ts';
import { countDiscount, discountedIn } from './discount.ts';
import type { SubscriptionEventOf } from './events.ts';
import { newTerms, notRevoked, type Signed, unlessSeenOfPayer } from './migration.ts';
import {
  atRest,
  betweenAttempts,
  blockOf,
  canStartTrial,
  chargeDueAt,
  dunningAttemptAt,
  earliest,
  isMigrationReady,
  movedEnd,
  NO_CHECK,
  NO_RISK,
  nextCycle,
  periodFrom,
} from './next-charge.ts';
import { awaitUsage, billUsage, countTaken, isBeforePeriodEnd, usageOf } from './usage.ts';

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
  const { next, first } = beginning(context, now, asked);
  const period = usageOf(next, used);
  const usage = period === null ? {} : { usage: { units: period.units, from: period.since, to: now } };
  const billed = billUsage(next, now, used);
  const cycle = { ...first, ...usage, ...discountedIn(billed) };
  return { ...billed, open: cycle, lastCycle: first.number, deferred: null, wakeAt: null };
}

/** The terms and the period of the next cycle. */
function beginning(
  context: Context,
  now: string,
  asked: boolean,
): { readonly next: Context; readonly first: OpenCycle } {
  const isMigrating = isMigrationReady(context);
  const boundary = isMigrating ? context.currentPeriodEnd : movedEnd(context);
  const next = isMigrating && boundary !== null ? newTerms(context, boundary) : context;
  return { next, first: firstAttempt(next, now, asked, boundary) };
}

/** A period had nothing to charge: it counts, and the next one begins. */
export function passPeriod(before: Context, now: string, used: number | undefined): Context {
  const { next: context, first } = beginning(before, now, false);
  const { number, ...period } = first;
  const isFirst = context.anchor === null;
  const billed = billUsage(context, now, used);
  const passed = {
    ...billed,
    ...(discountOn(billed.discount, billed.terms) > 0n ? countDiscount(billed) : {}),
    ...(isFirst ? { currentPeriodEnd: period.periodEnd } : paidPeriod(context, period)),
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

/** With new terms, and after a pause, the boundary becomes the anchor, and periods count from there. */
function firstAttempt(context: Context, now: string, asked: boolean, boundary: string | null): OpenCycle {
  if (context.anchor === null) return nextCycle(context, anchorOfFirst(context, now, asked), 0, now);
  if (isBeforePeriodEnd(context, now))
    return { ...nextCycle(context, context.anchor, context.periodIndex, now), isOverdue: true };
  if (boundary !== null) return nextCycle(context, boundary, 0, now);
  return nextCycle(context, context.anchor, context.periodIndex + 1, now);
}

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
  return later(failingSince, Date.parse(now) - Date.parse(deferred.since));
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
    ...(open.isOverdue ? {} : paidPeriod(context, open)),
    ...(open.discount === undefined ? {} : countDiscount(context)),
    ...countTaken(context, now),
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

function paidPeriod(
  { movedBy }: Context,
  { anchor, periodIndex, periodEnd }: Pick<OpenCycle, 'anchor' | 'periodIndex' | 'periodEnd'>,
) {
  return { anchor, periodIndex, currentPeriodEnd: periodEnd, ...(movedBy === undefined ? {} : { movedBy: 0 }) };
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

/** The shortage that a check found; null: none. */
export function shortageOf({ covers, payable }: { covers: boolean; payable: boolean }): Shortage | null {
  if (!covers) return 'insufficient_allowance';
  return payable ? null : 'insufficient_balance';
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
