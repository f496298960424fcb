import { type BlockedReason, blockedReason, type FailureReason } from '../effects.ts';
import { pauseUntil } from '../rules/backoff.ts';
import { later } from '../rules/period.ts';
import { NO_HASHES, type PauseReason, type PaymentContext } from './context.ts';
import type { DepositReading, PaymentEventOf } from './events.ts';
import { nextRefundExpiry, reverseRefunds } from './refunds.ts';

type Context = PaymentContext;

/** The first attempt of a new payment. */
export function openFirst(context: Context): Context {
  return { ...context, attempt: 1 };
}

/**
 * How long until an expired deposit is checked again, because its chain is silent or the deposit is not deep enough
 * yet.
 */
const EXPIRED_AGAIN_MS = 15_000;

/** The payment waits for a deposit at its address. */
export function awaitDeposit(context: Context): Context {
  return { ...context, wakeAt: context.deposit?.expiresAt ?? null };
}

export function noteDeposit(context: Context, { arrived, confirmed }: DepositReading): Context {
  return { ...context, deposit: context.deposit && { ...context.deposit, arrived, confirmed } };
}

/** The deposit is complete: from now on the payment is charged like any other. */
export function takeDeposit(context: Context, reading: DepositReading): Context {
  return openFirst({ ...noteDeposit(context, reading), fromWallet: reading.from, wakeAt: null });
}

/** The deposit is complete, but every unit of the offer is sold. The reason stays on the canceled payment. */
export function sellOut(context: Context, reading: DepositReading): Context {
  return { ...takeBack(noteDeposit(context, reading)), pausedFor: 'sold_out' };
}

export function extendDeposit(context: Context, now: string, reading: DepositReading | null): Context {
  const wakeAt = later(now, EXPIRED_AGAIN_MS);
  return { ...(reading === null ? context : noteDeposit(context, reading)), wakeAt };
}

/** Whether the confirmed part of the deposit pays for the charge. */
export function isFundedBy({ deposit }: Context, { confirmed }: DepositReading): boolean {
  return deposit !== null && BigInt(confirmed) >= BigInt(deposit.due);
}

/** Whether the deposit will pay for the charge once all of it is confirmed. */
export function willBeFundedBy({ deposit }: Context, { arrived }: DepositReading): boolean {
  return deposit !== null && BigInt(arrived) >= BigInt(deposit.due);
}

/** A further attempt of a cycle; its period may have moved on (docs/rules.md, "Subscriptions": Periods). */
export function openFurther(context: Context, event: PaymentEventOf<'charge.opened'>): Context {
  const { attempt, fromWallet, consent, periodStart, periodEnd, forcedFailure } = event;
  const { consent: _, ...rest } = context;
  return {
    ...rest,
    attempt,
    fromWallet,
    ...(consent === undefined ? {} : { consent }),
    forcedFailure,
    cycleOf: context.cycleOf && { ...context.cycleOf, periodStart, periodEnd },
    hashes: NO_HASHES,
    block: null,
    failureReason: null,
    nextAttemptAt: null,
    pauses: 0,
    pausedFor: null,
    wakeAt: null,
  };
}

/** The charge is in a block, made by this attempt or an earlier one, which another wallet may have paid. */
export function land(context: Context, event: PaymentEventOf<'charge.mined' | 'charge.final'>): Context {
  const { attempt, hashes, block } = event;
  const wallets = event.type === 'charge.final' && attempt !== context.attempt ? event.wallets : undefined;
  const paid = wallets && { fromWallet: wallets.from, toWallet: wallets.to ?? context.toWallet };
  const landed = { hashes, block, landedAttempt: attempt, failureReason: null, nextAttemptAt: null, pausedFor: null };
  const base = { ...context, ...landed, wakeAt: null };
  if (event.type !== 'charge.final') return base;
  const rate = event.rate === undefined ? {} : { rate: event.rate };
  return { ...base, settledAt: event.now, wakeAt: nextRefundExpiry(context), ...rate, ...paid };
}

/** Records that no transaction contains the charge any more. */
export function noteRelease(event: PaymentEventOf<'charge.released'>): Partial<Context> {
  const { attempt, round, releases } = event;
  return { released: { attempt, round, releases } };
}

/**
 * Whether an observation of the charge is out of date: the charge was released since, or resubmitted. If the money did
 * move, `charge.final` reports it.
 */
export function isOvertaken({ pauses, released }: Context, event: PaymentEventOf<'charge.mined'>): boolean {
  const { attempt, round, releases } = event;
  if (round < pauses) return true;
  return released?.attempt === attempt && released.round === round && releases <= released.releases;
}

export function failFor(context: Context, reason: FailureReason): Context {
  return { ...context, failureReason: reason, hashes: NO_HASHES, block: null, pausedFor: null, wakeAt: null };
}

/**
 * A reorg removed the settled charge. The inventory unit stays counted, whatever follows. Refunds that nobody has sent
 * yet fail, because there is nothing to refund.
 */
export function reorg(context: Context, now: string): Context {
  return { ...reverseRefunds(failFor(context, 'pull_reverted'), now), unitOf: null };
}

/** The charge cannot be made now. No money has moved; the payment retries after a growing pause. */
export function pause(context: Context, now: string, reason: PauseReason): Context {
  const wakeAt = pauseUntil(context.pauses, now);
  return { ...context, hashes: NO_HASHES, block: null, pauses: context.pauses + 1, pausedFor: reason, wakeAt };
}

/** Why the charge is blocked; null: it is not (`blockedReason`). */
export function blockedReasonOf({ pausedFor }: Context): BlockedReason | null {
  return pausedFor === null ? null : (blockedReason.safeParse(pausedFor).data ?? 'undeliverable');
}

/** Withdrawn, or waiting for a sender again: no money has moved, and no wake-up time is set. */
export function takeBack(context: Context): Context {
  return { ...context, hashes: NO_HASHES, block: null, pausedFor: null, wakeAt: null };
}
