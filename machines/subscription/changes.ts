import { deferredUntil } from '../rules/backoff.ts';
import { noted } from '../rules/breaker.ts';
import { type DunningVerdict, nextDunningAttempt, verdictOn } from '../rules/dunning.ts';
import { indexAt, periodAt } from '../rules/period.ts';
import type { Deferral, EndReason, OpenCycle, SubscriptionContext } from './context.ts';
import type { SubscriptionEventOf } from './events.ts';

type Context = SubscriptionContext;

/** The next cycle, or a further attempt of the open one, as an attempt opened at `now`. */
export function openAttempt(before: Context, now: string, asked: boolean): Context {
  const context = asked ? before : { ...before, begun: noted(before.begun, now) };
  const { open } = context;
  if (open !== null) return { ...context, open: nextAttempt(context, open, now), deferred: null, wakeAt: null };
  const boundary = isMigrationReady(context) ? context.currentPeriodEnd : null;
  const next = boundary === null ? context : newTerms(context, boundary);
  const first = firstAttempt(next, now, asked, boundary);
  return { ...next, open: first, lastCycle: first.number, deferred: null, wakeAt: null };
}

/** With new terms the boundary becomes the anchor, and periods are counted from it afresh. */
function firstAttempt(context: Context, now: string, asked: boolean, boundary: string | null): OpenCycle {
  const number = context.lastCycle + 1;
  const opened = { number, attempt: 1, openedAt: now, failingSince: null, failedFor: null, isOverdue: false };
  if (context.anchor === null) return { ...opened, ...periodFrom(context, anchorOfFirst(context, now, asked), 0, now) };
  if (boundary !== null) return { ...opened, ...periodFrom(context, boundary, 0, now) };
  return { ...opened, ...periodFrom(context, context.anchor, context.periodIndex + 1, now) };
}

function nextAttempt(context: Context, open: OpenCycle, now: string): OpenCycle {
  const failingSince = graceWithout(context.deferred, open.failingSince, now);
  const again = { ...open, attempt: open.attempt + 1, openedAt: now, failingSince };
  if (open.isOverdue) return again;
  if (context.anchor === null) return { ...again, ...periodFrom(context, now, 0, now) };
  return { ...again, ...periodFrom(context, open.anchor, open.periodIndex, now) };
}

/** No grace runs while the attempt could not be made (decisions: Money, "Not attempted"): the days are counted without it. */
function graceWithout(deferred: Context['deferred'], failingSince: string | null, now: string): string | null {
  if (deferred === null || failingSince === null) return failingSince;
  return new Date(Date.parse(failingSince) + Date.parse(now) - Date.parse(deferred.since)).toISOString();
}

/** Period `index`, or the one that contains `now` when that has wholly passed: a late charge buys the present. */
function periodFrom(context: Context, anchor: string, index: number, now: string) {
  const { interval } = context.terms;
  const periodIndex = Math.max(index, indexAt(anchor, interval, now));
  const { start, end } = periodAt(anchor, interval, periodIndex);
  return { anchor, periodIndex, periodStart: start, periodEnd: end };
}

/** The end of the trial, if this is the attempt of that moment; else the attempt's own moment. */
function anchorOfFirst(context: Context, now: string, asked: boolean): string {
  const { trialEnd, authorizedAt, deferred } = context;
  if (trialEnd === null || authorizedAt === null || asked || deferred !== null) return now;
  return authorizedAt <= trialEnd ? trialEnd : now;
}

/** The open cycle is paid: its period is the current one, unless a later one is, and the next charge falls due at its end. */
export function settle(context: Context): Context {
  const { open } = context;
  if (open === null) return context;
  return atRest({
    ...context,
    ...(open.isOverdue ? {} : paidPeriod(context, open)),
    open: null,
    cyclesCompleted: context.cyclesCompleted + 1,
    consecutiveFailures: 0,
    pastDueSince: null,
    deferred: null,
  });
}

function paidPeriod({ cancelAt }: Context, open: OpenCycle) {
  return {
    anchor: open.anchor,
    periodIndex: open.periodIndex,
    currentPeriodEnd: open.periodEnd,
    cancelAt: cancelAt === null ? null : open.periodEnd,
  };
}

/** A started charge of a canceled subscription has settled: it counts, and revives nothing. */
export function settleAfterEnd(context: Context): Context {
  const ended = context.ended && { ...context.ended, lastFailed: null };
  return { ...context, open: null, ended, cyclesCompleted: context.cyclesCompleted + 1, consecutiveFailures: 0 };
}

/** A settled cycle has fallen out of the chain: it is not paid after all, and waits to be opened again. */
export function fallOut(context: Context, event: SubscriptionEventOf<'charge.reorged'>): Context {
  const { cycle: number, attempt, periodStart, periodEnd, now } = event;
  const fallen: OpenCycle = {
    number,
    attempt,
    openedAt: now,
    anchor: context.anchor ?? periodStart,
    periodIndex: context.periodIndex,
    periodStart,
    periodEnd,
    failingSince: now,
    failedFor: 'pull_reverted',
    isOverdue: number < context.lastCycle,
  };
  const fallenOut = [...context.fallenOut, fallen].sort((one, other) => one.number - other.number);
  return { ...context, fallenOut, cyclesCompleted: Math.max(0, context.cyclesCompleted - 1) };
}

/** The oldest cycle that has fallen out is the open one now: past due since `now`, tried on its days. */
export function reopen(context: Context, now: string): Context {
  const [next, ...others] = context.fallenOut;
  if (next === undefined) return context;
  const open = { ...next, openedAt: now, failingSince: now, isOverdue: next.number < context.lastCycle };
  return betweenAttempts({ ...context, open, fallenOut: others, pastDueSince: now, deferred: null });
}

/** What follows if the open attempt fails at `now`. */
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

/** The open attempt has failed: counted, and the next one scheduled where there is one. */
export function fail(context: Context, { now, reason }: SubscriptionEventOf<'charge.failed'>): Context {
  const { open } = context;
  if (open === null) return context;
  return betweenAttempts({
    ...context,
    open: {
      ...open,
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

/** When the open cycle is tried again by itself; null when it is not: no day is left, or the subscription ends before. */
export function nextAttemptAt(context: Context): string | null {
  const at = dunningAttemptAt(context);
  return at !== null && context.cancelAt !== null && context.cancelAt <= at ? null : at;
}

function dunningAttemptAt({ open }: Context): string | null {
  return open === null || open.failingSince === null ? null : nextDunningAttempt(open.failingSince, open.openedAt);
}

/** Nothing falls due any more. A charge in flight stays open until its end is known. */
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
  };
}

/** The charge that was followed after the end has failed: remembered, for it may yet land. */
export function failAfterEnd(context: Context): Context {
  const { open, ended } = context;
  if (open === null || ended === null) return context;
  return { ...context, open: null, ended: { ...ended, lastFailed: { cycle: open.number, attempt: open.attempt } } };
}

/** Asks for other terms, in place of any asked for before. Nothing changes until they are authorized. */
export function requestMigration(context: Context, event: SubscriptionEventOf<'migration.requested'>): Context {
  const { terms, expiresAt, now } = event;
  return { ...context, migration: { terms, requestedAt: now, expiresAt, wallet: null, covered: false } };
}

/** Signed by the payer, and the allowance covers the new charge. */
export function isMigrationReady({ migration }: Context): boolean {
  return migration !== null && migration.wallet !== null && migration.covered;
}

/** The terms of the next cycle. */
export function nextTerms(context: Context): Context['terms'] {
  return context.migration !== null && isMigrationReady(context) ? context.migration.terms : context.terms;
}

/** Before anything was paid new terms hold at once: what was open is over, and the next attempt is a new cycle. */
export function migrateNow(context: Context, now: string): Context {
  return atRest({ ...newTerms(context, now), open: null, deferred: null });
}

function newTerms(context: Context, at: string): Context {
  const { migration } = context;
  if (migration === null) return context;
  return {
    ...context,
    terms: migration.terms,
    payerWallet: migration.wallet,
    authorizedAt: at,
    allowanceConfirmed: true,
    migration: null,
  };
}

/** The due charge cannot be attempted for a reason that is not the payer's: looked at again later. */
export function defer(context: Context, now: string, why: Deferral): Context {
  const times = context.deferred?.why === why ? context.deferred.times + 1 : 1;
  const deferred = { why, since: context.deferred?.since ?? now, times };
  return { ...context, deferred, wakeAt: earliest(context.cancelAt, deferredUntil(times - 1, now)) };
}

/** Whether a charge that is due waits for this to go. */
export function isDeferredFor(context: Context, why: Deferral, now: string): boolean {
  if (context.deferred?.why !== why) return false;
  const due = context.open === null ? chargeDueAt(context) : now;
  return due !== null && due <= now;
}

/** What is deferred is due now; should it not be ready after all, the pauses begin anew. */
export function liftDeferral(context: Context, now: string): Context {
  const { deferred } = context;
  return deferred === null ? context : { ...context, deferred: { ...deferred, times: 1 }, wakeAt: now };
}

/** What the chain says of the allowance; the first time that it covers the charge is the authorization. */
export function seeAllowance(context: Context, event: SubscriptionEventOf<'allowance.seen'>): Context {
  const authorizedAt = context.authorizedAt ?? (event.covers ? event.now : null);
  return { ...context, allowanceConfirmed: event.covers, authorizedAt };
}

/**
 * A look at the chain can tell that a further attempt would succeed where allowance or balance were short, or where what
 * failed was the charge of another wallet. What is deferred waits for something else.
 */
export function isWatchable(context: Context): boolean {
  const failedFor = context.open?.failedFor ?? null;
  if (failedFor === null || context.forcedFailure !== null || context.deferred !== null) return false;
  if (context.authorizedAt === null) return true;
  return failedFor === 'insufficient_allowance' || failedFor === 'insufficient_balance';
}

/** The wallet that is billed from now on; its allowance has yet to be seen. An attempt in flight goes on as it was opened. */
export function linkPayer(context: Context, wallet: string): Context {
  if (context.payerWallet === wallet) return context;
  return { ...context, payerWallet: wallet, authorizedAt: null, allowanceConfirmed: false };
}

/** Sets `wakeAt` for a subscription in which no attempt is open. */
export function atRest(context: Context): Context {
  return { ...context, wakeAt: earliest(context.cancelAt, chargeDueAt(context)) };
}

function chargeDueAt(context: Context): string | null {
  if (context.anchor !== null) return context.currentPeriodEnd;
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

/** Moments in ISO 8601 of one form order as text. */
function inOrder(one: string, other: string): [string, string] {
  return one <= other ? [one, other] : [other, one];
}
