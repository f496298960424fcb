import type { BlockedReason, Effect, EffectOf, PaymentMessage, WebhookEvent } from '../effects.ts';
import { blockedReasonOf, chargeDueAt, nextAttemptAt, nextTerms } from './changes.ts';
import type { SubscriptionContext } from './context.ts';

type Context = SubscriptionContext;

/**
 * How an event names the invoice of a cycle: the payment's suffix in its third spelling
 * (docs/rules.md, "Names, roots, shapes").
 */
function invoiceIdOf(paymentId: string): string {
  return `sub-pay-${paymentId.slice(paymentId.indexOf('_') + 1)}`;
}

export function emitCreated(context: Context): Effect[] {
  return [emit(context, 'subscription.created', { status: 'pending' })];
}

export function emitActive(context: Context): Effect[] {
  return [emit(context, 'subscription.active', {})];
}

export function emitMigrated(context: Context): Effect[] {
  return [emit(context, 'subscription.migrated', {})];
}

export function emitPastDue(context: Context): Effect[] {
  return [emit(context, 'subscription.past_due', {})];
}

export function emitRecovered(context: Context): Effect[] {
  return [emit(context, 'subscription.recovered', {})];
}

/** What the coming charge lacks, by the check that has just found it. */
export function emitAtRisk(context: Context): Effect[] {
  const { short } = context.risk;
  const chargeAt = chargeDueAt(context);
  if (short === null || chargeAt === null) return [];
  return [emit(context, 'subscription.at_risk', { priceId: nextTerms(context).priceId, reason: short, chargeAt })];
}

/** Once when the charge begins to stand still, and once more when it does for another reason. */
export function emitBlocked(before: Context, reason: BlockedReason): Effect[] {
  if (blockedReasonOf(before) === reason) return [];
  const { priceId } = before.open === null ? nextTerms(before) : before.terms;
  return [emit(before, 'subscription.blocked', { priceId, reason })];
}

/**
 * The closed list of reasons has no word for the grace window: it shares the one of failed cycles
 * (docs/rules.md, "Subscriptions").
 */
export function emitCanceled(context: Context): Effect[] {
  const reason = context.ended?.reason;
  switch (reason) {
    case 'max_cycles_reached':
      return [emit(context, 'subscription.canceled', { reason: 'max_cycles_reached' })];
    case 'max_failed_cycles_reached':
    case 'grace_expired':
      return [emit(context, 'subscription.canceled', { reason: 'max_failed_cycles_reached' })];
    case 'requested':
    case 'customer_deleted':
    case undefined:
      return [emit(context, 'subscription.canceled', {})];
    default: {
      const never: never = reason;
      throw new Error(`unknown end reason ${String(never)}`);
    }
  }
}

/** A cycle's `payment.*` is the subscription's to tell (docs/rules.md, "The walk of a cycle"). */
export function emitPayment(context: Context, message: PaymentMessage): Effect[] {
  const data = { subscriptionId: context.id, invoiceId: invoiceIdOf(message.paymentId) };
  switch (message.type) {
    case 'charge.pulled':
      return [{ type: 'webhook.emit', event: 'payment.pulled', data }];
    case 'charge.settled':
      return [{ type: 'webhook.emit', event: 'payment.succeeded', data }];
    case 'charge.failed':
      return [{ type: 'webhook.emit', event: 'payment.failed', data: { ...data, reason: message.reason } }];
    case 'charge.reorged':
      return [{ type: 'webhook.emit', event: 'payment.failed', data: { ...data, reason: 'pull_reverted' } }];
    case 'charge.withdrawn':
    case 'charge.blocked':
      return [];
    default: {
      const never: never = message;
      throw new Error(`unknown message ${String(never)}`);
    }
  }
}

/** Where no wallet is linked (the sandbox forces failures of such ones too) the attempt fails without touching a chain. */
export function openCharge(context: Context): Effect[] {
  const { open, payerWallet, terms } = context;
  if (open === null) return [];
  return [
    {
      type: 'charge.open',
      cycle: open.number,
      attempt: open.attempt,
      amount: terms.amount,
      tokenKey: terms.tokenKey,
      priceId: terms.priceId,
      fromWallet: payerWallet,
      periodStart: open.periodStart,
      periodEnd: open.periodEnd,
      forcedFailure: context.forcedFailure ?? (payerWallet === null ? 'insufficient_allowance' : null),
    },
  ];
}

/** Taken back only where it was opened (docs/rules.md, rule 3). */
export function withdrawCharge(context: Context): Effect[] {
  return context.open === null ? [] : [{ type: 'charge.withdraw', cycle: context.open.number }];
}

/** The failed payment shows when it is tried again. */
export function scheduleCharge(context: Context): Effect[] {
  if (context.open === null) return [];
  return [{ type: 'charge.schedule', cycle: context.open.number, nextAttemptAt: nextAttemptAt(context) }];
}

/** The first charge has settled: the unit that it held is redeemed. */
export function countUnit(context: Context): Effect[] {
  return [{ type: 'unit.count', offerId: context.offerId, holder: context.id }];
}

/** The first charge has landed after its attempt had been given up, and the unit that it held is another's by now. */
export function countLateUnit(context: Context): Effect[] {
  return [{ type: 'unit.count', offerId: context.offerId, holder: context.id, isLate: true }];
}

/** Who holds the unit of an attempt: each attempt takes its own, so that freeing one late frees no other. */
export function unitHolder(subscriptionId: string, cycle: number, attempt: number): string {
  return `${subscriptionId}:${cycle}.${attempt}`;
}

/** The unit of the open attempt. */
export function freeUnit({ offerId, id, open }: Context): Effect[] {
  return open === null ? [] : [{ type: 'unit.free', offerId, holder: unitHolder(id, open.number, open.attempt) }];
}

/** After the end only a first charge still has a unit to give back. */
export function freeUnitOfFirst(context: Context): Effect[] {
  return context.anchor === null ? freeUnit(context) : [];
}

/** Asks for checks the payer for the present charge, for other terms, or for a charge ahead. */
export function watch(interest: EffectOf<'allowance.watch'>['interest']): Effect[] {
  return [{ type: 'allowance.watch', interest }];
}

export function unwatch(interest: EffectOf<'allowance.unwatch'>['interest']): Effect[] {
  return [{ type: 'allowance.unwatch', interest }];
}

/** A wallet has taken over: it is checked for whatever was awaited of the one before. */
export function watchPayer({ migration }: Context): Effect[] {
  return [...watch('charge'), ...(migration?.wallet === null ? watch('migration') : [])];
}

/** The check that authorizes is the last one at the allowance alone. */
export function unwatchIfAuthorizes({ authorizedAt }: Context, event: { readonly covers: boolean }): Effect[] {
  return authorizedAt === null && event.covers ? unwatch('charge') : [];
}

/** Only one that was never authorized is still watched when its first attempt is opened. */
export function unwatchUnauthorized(context: Context): Effect[] {
  return context.authorizedAt === null ? unwatch('charge') : [];
}

/** Only where a check ahead has been asked for, or has found something short, is the payer still checked. */
export function unwatchRisk({ risk }: Context): Effect[] {
  return risk.isAwaited || risk.short !== null ? unwatch('risk') : [];
}

/** What was short is there: nothing more is to be seen until the next check. */
export function unwatchIfThere(context: Context, event: { readonly payable: boolean }): Effect[] {
  return event.payable ? unwatchRisk(context) : [];
}

function emit(
  context: Context,
  event: Extract<WebhookEvent, `subscription.${string}`>,
  more: { [key: string]: string },
): Effect {
  const data = { subscriptionId: context.id, offerId: context.offerId, priceId: context.terms.priceId, ...more };
  return { type: 'webhook.emit', event, data };
}
