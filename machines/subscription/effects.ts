import type { BlockedReason, Effect, EffectOf, PaymentMessage, WebhookEvent } from '../effects.ts';
import { quantityOf } from '../rules/price-model.ts';
import { unknownCase } from '../unknown-case.ts';
import { blockedReasonOf } from './changes.ts';
import type { SubscriptionContext } from './context.ts';
import type { SubscriptionEvent } from './events.ts';
import { canStartTrial, chargeDueAt, nextAttemptAt, nextTerms, termsOfNext } from './next-charge.ts';
import { endPause } from './pause.ts';
import { newLevels } from './usage.ts';

type Context = SubscriptionContext;

/**
 * The id of a cycle's invoice in events: the payment's suffix in its third form (docs/rules.md, "Names, roots,
 * shapes").
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

/** For the event at `now` by which the payer agrees, before its changes. */
export function emitTrialing(before: Context, now: string): Effect[] {
  if (!canStartTrial(before, now)) return [];
  return [emit(before, 'subscription.trialing', { priceId: nextTerms(before).priceId })];
}

/** The first period passes without a charge, by use or by a discount: a trial begins that nobody was told of. */
export function emitLateTrial(before: Context): Effect[] {
  if (before.anchor !== null || before.trialStartedAt || before.authorizedAt === null) return [];
  return [emit(before, 'subscription.trialing', {})];
}

export function emitMigrated(context: Context): Effect[] {
  return [emit(context, 'subscription.migrated', {})];
}

/** A change at once is announced when it is paid, because until then it may be undone. */
export function emitChanged(context: Context): Effect[] {
  return context.open?.change === undefined ? [] : emitMigrated(context);
}

/** For the event that asks for another quantity, before its changes. */
export function emitQuantityChanged(before: Context, quantity: number): Effect[] {
  const previousQuantity = quantityOf(before.terms);
  return previousQuantity === null
    ? []
    : [emit(before, 'subscription.quantity_changed', { previousQuantity, quantity })];
}

/** For the event that pauses it until then, before its changes. */
export function emitPaused(before: Context, pausedUntil: string | null): Effect[] {
  return before.pause?.until === pausedUntil ? [] : [emit(before, 'subscription.paused', { pausedUntil })];
}

/** For the event at `now` that ends the pause, if one is on, before its changes. */
export function emitResumed(before: Context, now: string): Effect[] {
  const { currentPeriodEnd } = endPause(before, now);
  return before.pause ? [emit(before, 'subscription.resumed', { currentPeriodEnd })] : [];
}

/** For the event that says how much has been used, or opens the cycle, before its changes. Once a level and period. */
export function emitUsageThresholds(before: Context, used: number | undefined): Effect[] {
  return newLevels(before, used).map((level) => emit(before, 'subscription.usage_threshold', { level }));
}

export function emitPastDue(context: Context): Effect[] {
  return [emit(context, 'subscription.past_due', {})];
}

export function emitRecovered(context: Context): Effect[] {
  return [emit(context, 'subscription.recovered', {})];
}

/** Emits the shortage that the latest check found for the upcoming charge. */
export function emitAtRisk(context: Context): Effect[] {
  const { short } = context.risk;
  const chargeAt = chargeDueAt(context);
  if (short === null || chargeAt === null) return [];
  return [emit(context, 'subscription.at_risk', { priceId: nextTerms(context).priceId, reason: short, chargeAt })];
}

/** Emits once when the charge becomes blocked, and again when the reason changes. */
export function emitBlocked(before: Context, reason: BlockedReason): Effect[] {
  if (blockedReasonOf(before) === reason) return [];
  const { priceId } = before.open === null ? nextTerms(before) : before.terms;
  return [emit(before, 'subscription.blocked', { priceId, reason })];
}

/**
 * The reference has no end reason for the grace window: it uses the one of failed cycles (docs/rules.md,
 * "Subscriptions").
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
    default:
      return unknownCase(reason, 'end reason');
  }
}

/** The subscription emits the `payment.*` of a cycle (docs/rules.md, "The walk of a cycle"). */
export function emitPayment(context: Context, message: PaymentMessage): Effect[] {
  const data = { subscriptionId: context.id, invoiceId: invoiceIdOf(message.paymentId) };
  const emitted = (event: WebhookEvent, more: { readonly [key: string]: string } = {}): Effect[] => [
    { type: 'webhook.emit', event, data: { ...data, ...more } },
  ];
  switch (message.type) {
    case 'charge.pulled':
      return emitted('payment.pulled');
    case 'charge.settled':
      return emitted('payment.succeeded');
    case 'charge.failed':
      return emitted('payment.failed', { reason: message.reason });
    case 'charge.reorged':
      return emitted('payment.failed', { reason: 'pull_reverted' });
    case 'charge.refunded':
      return emitted(message.reversed ? 'payment.refund_reversed' : 'payment.refunded', { refundId: message.refundId });
    case 'charge.withdrawn':
    case 'charge.blocked':
      return [];
    default:
      return unknownCase(message, 'message');
  }
}

/** Without a linked wallet (the sandbox can force such failures) the attempt fails without touching a chain. */
export function openCharge(context: Context): Effect[] {
  const { open, payerWallet, consent, terms } = context;
  if (open === null) return [];
  const quantity = quantityOf(terms);
  return [
    {
      type: 'charge.open',
      cycle: open.number,
      attempt: open.attempt,
      amount: termsOfNext(context).amount,
      ...(quantity === null ? {} : { quantity }),
      ...(open.usage === undefined ? {} : { usage: open.usage }),
      ...(open.notBefore === undefined ? {} : { notBefore: open.notBefore }),
      ...(open.discount === undefined ? {} : { discount: open.discount }),
      ...(open.change?.credit === undefined ? {} : { credit: open.change.credit }),
      tokenKey: terms.tokenKey,
      priceId: terms.priceId,
      fromWallet: payerWallet,
      ...(consent === undefined ? {} : { consent }),
      periodStart: open.usage?.from ?? open.periodStart,
      periodEnd: open.usage?.to ?? open.periodEnd,
      forcedFailure: context.forcedFailure ?? (payerWallet === null ? 'insufficient_allowance' : null),
    },
  ];
}

/** Withdraws only a charge that was opened (docs/rules.md, rule 3). */
export function withdrawCharge(context: Context): Effect[] {
  return context.open === null ? [] : [{ type: 'charge.withdraw', cycle: context.open.number }];
}

/** Makes the failed payment show its next attempt. */
export function scheduleCharge(context: Context): Effect[] {
  if (context.open === null) return [];
  return [{ type: 'charge.schedule', cycle: context.open.number, nextAttemptAt: nextAttemptAt(context) }];
}

/** The first charge has settled: redeems the inventory unit. */
export function redeemReservation(context: Context): Effect[] {
  return [{ type: 'unit.count', offerId: context.offerId, holder: context.id }];
}

/**
 * The first charge landed after its attempt had been given up, and its reservation was released since. A change that
 * was undone never reserved a unit.
 */
export function redeemLateUnit(context: Context, event: SubscriptionEvent): Effect[] {
  if (event.type === 'charge.settled' && event.cycle === context.undone) return [];
  return [{ type: 'unit.count', offerId: context.offerId, holder: context.id, isLate: true }];
}

/**
 * The holder of an attempt's inventory reservation. Each attempt reserves its own unit, so a late release frees no
 * other.
 */
export function reservationHolder(subscriptionId: string, cycle: number, attempt: number): string {
  return `${subscriptionId}:${cycle}.${attempt}`;
}

/** Releases the reservation of the open attempt. */
export function releaseReservation({ offerId, id, open }: Context): Effect[] {
  return open === null
    ? []
    : [{ type: 'unit.free', offerId, holder: reservationHolder(id, open.number, open.attempt) }];
}

/** After the end, only a first charge still has a reservation to release. */
export function releaseFirstReservation(context: Context): Effect[] {
  return context.anchor === null ? releaseReservation(context) : [];
}

/** Requests checks of the payer for the present charge, for new terms, or for an upcoming charge. */
export function watch(interest: EffectOf<'allowance.watch'>['interest']): Effect[] {
  return [{ type: 'allowance.watch', interest }];
}

export function unwatch(interest: EffectOf<'allowance.unwatch'>['interest']): Effect[] {
  return [{ type: 'allowance.unwatch', interest }];
}

/** Another wallet is billed: requests the pending checks for it. */
export function watchPayer({ migration }: Context): Effect[] {
  return [...watch('charge'), ...(migration?.wallet === null ? watch('migration') : [])];
}

/** After the check that authorizes, the allowance alone needs no more watching. */
export function unwatchIfAuthorizes({ authorizedAt }: Context, event: { readonly covers: boolean }): Effect[] {
  return authorizedAt === null && event.covers ? unwatch('charge') : [];
}

/** Stops the watch of an unauthorized subscription when its first attempt opens; no other is still watched then. */
export function unwatchUnauthorized(context: Context): Effect[] {
  return context.authorizedAt === null ? unwatch('charge') : [];
}

/** Stops the payer's watch if a check ahead was requested or found a shortage; otherwise there is none. */
export function unwatchRisk({ risk }: Context): Effect[] {
  return risk.isAwaited || risk.short !== null ? unwatch('risk') : [];
}

/** The shortage is resolved: no check is needed until the next scheduled one. */
export function unwatchIfThere(context: Context, event: { readonly payable: boolean }): Effect[] {
  return event.payable ? unwatchRisk(context) : [];
}

function emit(
  context: Context,
  event: Extract<WebhookEvent, `subscription.${string}`>,
  more: { [key: string]: string | number | null },
): Effect {
  const data = { subscriptionId: context.id, offerId: context.offerId, priceId: context.terms.priceId, ...more };
  return { type: 'webhook.emit', event, data };
}
