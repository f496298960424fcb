import { isSameOperator, type PayerConsent } from '../consent.ts';
import { lessDiscount } from '../rules/discount.ts';
import { nextDunningAttempt } from '../rules/dunning.ts';
import { indexAt, later, type Period, periodAt } from '../rules/period.ts';
import { nextRiskCheck } from '../rules/risk.ts';
import type { OpenCycle, SubscriptionContext } from './context.ts';
import type { Reading } from './events.ts';

type Context = SubscriptionContext;

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

/**
 * The terms of the next charge, unless a migration comes before it: an open cycle may have another amount, and a
 * discount makes it less. A free period has no charge: the price follows it.
 */
export function termsOfNext({ terms, open, discount }: Pick<Context, 'terms' | 'open' | 'discount'>): Context['terms'] {
  const less = open === null && discount !== undefined ? lessDiscount(discount, terms) : 0n;
  const amount = open?.amount ?? (less === 0n ? terms.amount : less.toString());
  return amount === terms.amount ? terms : { ...terms, amount };
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

/** Whether a check concerns this charge, and is not older than the last one seen of it. */
export function isNew(context: Context, reading: Reading | undefined, of = nextCharge(context)): boolean {
  const { migration, payerWallet: wallet, consent, seenAt } = context;
  if (of === 'charge') return isNewFor({ terms: termsOfNext(context), wallet, consent, seenAt }, reading);
  const payer = { wallet: migrationWallet(context), consent: migrationConsent(context) };
  return migration !== null && isNewFor({ ...migration, ...payer }, reading);
}

/** The charge that a reading has to be about. */
interface ReadCharge extends Pick<Context, 'terms' | 'seenAt'> {
  readonly wallet: string | null;
  readonly consent: PayerConsent | undefined;
}

function isNewFor({ terms, wallet, consent, seenAt }: ReadCharge, reading: Reading | undefined): boolean {
  if (reading === undefined) return true;
  const isSameCharge = terms.priceId === reading.priceId && terms.tokenKey === reading.tokenKey;
  const isSameAmount = reading.amount === undefined || reading.amount === terms.amount;
  if (!isSameCharge || !isSameAmount || wallet !== reading.wallet) return false;
  return isSameOperator(consent, reading.consent) && isNewer(seenAt, reading);
}

/** Blocks of different chains have no order. */
function isNewer(seen: Context['seenAt'], { chainId, block }: Reading): boolean {
  return block === null || seen === null || seen.chainId !== chainId || block >= seen.block;
}

export function blockOf(reading: Reading | undefined): Context['seenAt'] {
  if (reading === undefined || reading.block === null) return null;
  return { chainId: reading.chainId, block: reading.block };
}

/** Sets `wakeAt` for a subscription without an open attempt: the next check before the charge, or the next due time. */
export function atRest(context: Context, now: string): Context {
  const lookAt = riskCheckAt(context, now);
  return { ...context, risk: { ...context.risk, lookAt }, wakeAt: earliest(lookAt, restsUntil(context)) };
}

function restsUntil(context: Context): string | null {
  return context.pause ? context.pause.until : earliest(context.cancelAt, chargeDueAt(context));
}

/**
 * The pause ends at `at`. A paid period that it has outlasted ends with it, whatever the offer says: nobody has paid
 * for the time of the pause, nor for the time after it.
 */
export function unpaused(context: Context, at: string): Context {
  const { pause, currentPeriodEnd: end } = context;
  if (!pause || end === null) return context;
  const lasted = Date.parse(at) - Date.parse(pause.since);
  const late = Date.parse(at) - Date.parse(end);
  const ms = Math.max(0, pause.periodEnd === 'moves' ? lasted : late);
  return { ...context, pause: null, currentPeriodEnd: later(end, ms), movedBy: (context.movedBy ?? 0) + ms };
}

/** The paid period, later by the pauses in it, and as long as it was; null: nothing is paid. */
export function currentPeriod({ anchor, terms, periodIndex, movedBy = 0 }: Context): Period | null {
  if (anchor === null) return null;
  const { start, end } = periodAt(anchor, terms.interval, periodIndex);
  return { start: later(start, movedBy), end: later(end, movedBy) };
}

/** From when the next period counts if pauses have moved the end of this one; null: they have not. */
export function movedEnd({ movedBy = 0, currentPeriodEnd }: Context): string | null {
  return movedBy === 0 ? null : currentPeriodEnd;
}

/** No check where no charge will follow, where it is free, or where its amount is not known before. */
function riskCheckAt(context: Context, now: string): string | null {
  if (context.usage !== undefined || lessDiscount(context.discount, nextTerms(context)) === 0n) return null;
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
  return context.risk.lookAt === null ? context.wakeAt : restsUntil(context);
}

/** Whether the wake-up at `now` is only for a check before the charge. */
export function isOnlyCheckDue(context: Context, now: string): boolean {
  const { lookAt } = context.risk;
  const due = dueAt(context);
  return lookAt !== null && lookAt <= now && (due === null || due > now);
}

/** When the next charge falls due while none is open; null: it is not authorized yet, or its pause has no end. */
export function chargeDueAt(context: Context): string | null {
  const { pause } = context;
  if (pause) return pause.until === null ? null : chargeDueAt(unpaused(context, pause.until));
  const { anchor, authorizedAt, trialEnd, usage } = context;
  if (anchor === null && (authorizedAt === null || trialEnd === null)) return authorizedAt;
  const end = anchor === null ? trialEnd : earliest(changeDueAt(context), context.currentPeriodEnd);
  const due = earliest(usage?.thresholdDueAt ?? null, end);
  const from = latest(usage?.waitsUntil ?? null, anchor === null ? authorizedAt : null);
  return due === null ? null : latest(due, from);
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

/** Whether a trial is running at `now` that starts if the payer agrees. */
export function canStartTrial({ trialStartedAt, trialEnd, anchor, open }: Context, now: string): boolean {
  return trialStartedAt === null && anchor === null && open === null && trialEnd !== null && now < trialEnd;
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

export function dunningAttemptAt({ open }: Context): string | null {
  return open === null || open.failingSince === null ? null : nextDunningAttempt(open.failingSince, open.openedAt);
}

export function earliest(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return inOrder(one, other)[0];
}

/** `null` is no moment. */
export function latest(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return inOrder(one, other)[1];
}

/** Timestamps in one ISO 8601 form sort as text. */
function inOrder(one: string, other: string): [string, string] {
  return one <= other ? [one, other] : [other, one];
}

/** The cycle after the last one, for period `index`, which opens at `now`. */
export function nextCycle(context: Context, anchor: string, index: number, now: string): OpenCycle {
  const opened = { number: context.lastCycle + 1, attempt: 1, openedAt: now } as const;
  const notFailed = { failingSince: null, failedFor: null, hurried: 0, isOverdue: false } as const;
  return { ...opened, ...notFailed, ...periodFrom(context, anchor, index, now) };
}

/**
 * Period `index`, or the one that contains `now` if that has fully passed: a late charge pays for the present period.
 */
export function periodFrom(context: Context, anchor: string, index: number, now: string) {
  const { interval } = context.terms;
  const periodIndex = Math.max(index, indexAt(anchor, interval, now));
  const { start, end } = periodAt(anchor, interval, periodIndex);
  return { anchor, periodIndex, periodStart: start, periodEnd: end };
}

export const NO_CHECK = { lookAt: null, isAwaited: false } as const;
export const NO_RISK = { ...NO_CHECK, short: null } as const;
