import { deferredUntil } from '../rules/backoff.ts';
import { type DunningVerdict, nextDunningAttempt, verdictOn } from '../rules/dunning.ts';
import { indexAt, periodAt } from '../rules/period.ts';
import type { Deferral, EndReason, OpenCycle, SubscriptionContext } from './context.ts';
import type { SubscriptionEventOf } from './events.ts';

type Context = SubscriptionContext;

/** The next cycle, or a further attempt of the open one, as an attempt opened at `now`. */
export function openAttempt(context: Context, now: string, asked: boolean): Context {
  const open = context.open === null ? firstAttempt(context, now, asked) : nextAttempt(context, context.open, now);
  return { ...context, open, lastCycle: open.number, deferred: null, wakeAt: null };
}

function firstAttempt(context: Context, now: string, asked: boolean): OpenCycle {
  const number = context.lastCycle + 1;
  const opened = { number, attempt: 1, openedAt: now, failingSince: null, failedFor: null };
  if (context.anchor === null) return { ...opened, ...periodFrom(context, anchorOfFirst(context, now, asked), 0, now) };
  return { ...opened, ...periodFrom(context, context.anchor, context.periodIndex + 1, now) };
}

function nextAttempt(context: Context, open: OpenCycle, now: string): OpenCycle {
  const failingSince = graceWithout(context.deferred, open.failingSince, now);
  const again = { ...open, attempt: open.attempt + 1, openedAt: now, failingSince };
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

/** The open cycle is paid: its period is the current one and the next charge falls due at its end. */
export function settle(context: Context): Context {
  const { open } = context;
  if (open === null) return context;
  return atRest({
    ...context,
    anchor: open.anchor,
    periodIndex: open.periodIndex,
    currentPeriodEnd: open.periodEnd,
    cancelAt: context.cancelAt === null ? null : open.periodEnd,
    open: null,
    cyclesCompleted: context.cyclesCompleted + 1,
    consecutiveFailures: 0,
    pastDueSince: null,
  });
}

/** A started charge of a canceled subscription has settled: it counts, and revives nothing. */
export function settleAfterEnd(context: Context): Context {
  return { ...context, open: null, cyclesCompleted: context.cyclesCompleted + 1, consecutiveFailures: 0 };
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
    open: { ...open, failingSince: open.failingSince ?? now, failedFor: reason },
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
  return { ...context, ended: { reason, at: now }, open: inFlight ? context.open : null, wakeAt: null, deferred: null };
}

/** The due charge cannot be attempted for a reason that is not the payer's: looked at again later. */
export function defer(context: Context, now: string, why: Deferral): Context {
  const times = context.deferred?.why === why ? context.deferred.times + 1 : 1;
  const deferred = { why, since: context.deferred?.since ?? now, times };
  return { ...context, deferred, wakeAt: earliest(context.cancelAt, deferredUntil(times - 1, now)) };
}

/** What the chain says of the allowance; the first time that it covers the charge is the authorization. */
export function seeAllowance(context: Context, event: SubscriptionEventOf<'allowance.seen'>): Context {
  const authorizedAt = context.authorizedAt ?? (event.covers ? event.now : null);
  return { ...context, allowanceConfirmed: event.covers, authorizedAt };
}

/**
 * A look at the chain can tell that a further attempt would succeed where allowance or balance were short. What is deferred
 * waits for something else.
 */
export function isWatchable(context: Context): boolean {
  const failedFor = context.open?.failedFor;
  if (context.forcedFailure !== null || context.deferred !== null) return false;
  return failedFor === 'insufficient_allowance' || failedFor === 'insufficient_balance';
}

/** Links the wallet that is billed; its allowance has yet to be seen. */
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
