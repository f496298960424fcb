import type { Effect, FailureReason, PaymentMessage } from '../effects.ts';
import { blockedReasonOf } from './changes.ts';
import type { PaymentContext } from './context.ts';
import type { PaymentEventOf } from './events.ts';

type Context = PaymentContext;

export function requestCharge(context: Context): Effect[] {
  return [{ type: 'charge.request', attempt: context.attempt, round: context.pauses }];
}

export function watchDeposit(): Effect[] {
  return [{ type: 'deposit.watch' }];
}

/** The payment of a cycle informs its subscription, which emits the event; a one-off emits its own. */
export function announcePulled(context: Context): Effect[] {
  return announce(context, 'payment.pulled', 'charge.pulled');
}

export function announceSettled(context: Context): Effect[] {
  return [...announce(context, 'payment.succeeded', 'charge.settled'), ...settleDeposit(context)];
}

export function announceFailed(context: Context): Effect[] {
  const reason = reasonOf(context);
  if (context.cycleOf !== null) return tell(context, { type: 'charge.failed', reason });
  const data = { paymentId: context.id, reason };
  return [{ type: 'webhook.emit', event: 'payment.failed', data }, ...settleDeposit(context)];
}

/** The charge is blocked. A one-off shows it in its own `blockedReason` only. */
export function announceBlocked(context: Context): Effect[] {
  const reason = blockedReasonOf(context);
  return reason === null ? [] : tell(context, { type: 'charge.blocked', reason });
}

/** Leaves `settled`: a reorg removed the charge for good (docs/rules.md, "Payments": Final). */
export function announceReorged(context: Context): Effect[] {
  if (context.cycleOf === null) return announceFailed(context);
  const { periodStart, periodEnd } = context.cycleOf;
  return tell(context, { type: 'charge.reorged', periodStart, periodEnd });
}

/** Only one-offs emit `payment.canceled` (reference, section 6). */
export function announceCanceled(context: Context): Effect[] {
  return [...announce(context, 'payment.canceled', 'charge.withdrawn'), ...settleDeposit(context)];
}

export function watchRefunds(): Effect[] {
  return [{ type: 'refund.watch' }];
}

/** Like the other events of a payment, that of a cycle is its subscription's. */
export function announceRefund(
  context: Context,
  { type, refundId }: PaymentEventOf<'refund.settled' | 'refund.reorged'>,
): Effect[] {
  const isReversed = type === 'refund.reorged';
  const event = isReversed ? 'payment.refund_reversed' : 'payment.refunded';
  if (context.cycleOf === null) return [{ type: 'webhook.emit', event, data: { paymentId: context.id, refundId } }];
  return tell(context, { type: 'charge.refunded', refundId, ...(isReversed ? { reversed: true } : {}) });
}

/** Redeems the inventory unit that the payment reserves. */
export function redeemReservation({ id, unitOf }: Context): Effect[] {
  return unitOf === null ? [] : [{ type: 'unit.count', offerId: unitOf, holder: id }];
}

/** The charge landed after it was recorded as failed, and its reservation was released since. */
export function redeemLateUnit({ id, unitOf }: Context): Effect[] {
  return unitOf === null ? [] : [{ type: 'unit.count', offerId: unitOf, holder: id, isLate: true }];
}

/** Releases the inventory unit for sale. */
export function releaseReservation({ id, unitOf }: Context): Effect[] {
  return unitOf === null ? [] : [{ type: 'unit.free', offerId: unitOf, holder: id }];
}

/** Settles the deposit at each end of the payment and at each later change of that end. */
function settleDeposit({ deposit }: Context): Effect[] {
  return deposit === null ? [] : [{ type: 'deposit.settle' }];
}

function announce(
  context: Context,
  event: 'payment.pulled' | 'payment.succeeded' | 'payment.canceled',
  type: 'charge.pulled' | 'charge.settled' | 'charge.withdrawn',
): Effect[] {
  if (context.cycleOf === null) return [{ type: 'webhook.emit', event, data: { paymentId: context.id } }];
  return tell(context, { type });
}

type About = 'cycle' | 'attempt' | 'paymentId';
type Told<M = PaymentMessage> = M extends PaymentMessage ? Omit<M, About> : never;

/** A message to the subscription of a cycle; a one-off has none. */
function tell({ id: paymentId, cycleOf, attempt }: Context, told: Told): Effect[] {
  if (cycleOf === null) return [];
  const { subscriptionId, cycle } = cycleOf;
  return [{ type: 'subscription.tell', subscriptionId, message: { ...told, cycle, attempt, paymentId } }];
}

function reasonOf(context: Context): FailureReason {
  if (context.failureReason === null) throw new Error(`payment ${context.id} has failed without a reason`);
  return context.failureReason;
}
