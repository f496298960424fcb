import { transition } from 'xstate';
import { type RefundState, type RefundTransfer, refundStatus, requestedRefund } from '../refund/context.ts';
import type { RefundEvent } from '../refund/events.ts';
import { refundMachine } from '../refund.ts';
import { type PaymentContext, REFUNDS_MAX } from './context.ts';
import type { PaymentEventOf } from './events.ts';

type Context = Pick<PaymentContext, 'amount' | 'refunds'>;
type Requested = PaymentEventOf<'refund.requested'>;
/** The events about one refund that is named. */
export type RefundFact = PaymentEventOf<'refund.sent' | 'refund.settled' | 'refund.reorged' | 'refund.canceled'>;

export function refundsOf({ refunds = [] }: Pick<Context, 'refunds'>): readonly RefundState[] {
  return refunds;
}

/** The base units that were given back, as the chain shows them. */
export function refundedUnits(context: Pick<Context, 'refunds'>): bigint {
  return sumOf(refundsOf(context).filter(({ status }) => status === 'settled'));
}

/**
 * The base units that the merchant may still refund: the amount paid, less all refunds that are requested, sent or
 * settled. It is never negative, even if a transfer comes after its refund has expired.
 */
export function leftToRefund(context: Context): bigint {
  const left = BigInt(context.amount) - sumOf(refundsOf(context).filter(setsAside));
  return left > 0n ? left : 0n;
}

/** Whether the payment takes this request: no more in all than was paid (docs/rules.md, "Refunds"). */
export function takesRefund(context: Context, { refund }: Requested): boolean {
  const refunds = refundsOf(context);
  const amount = BigInt(refund.amount);
  return refunds.length < REFUNDS_MAX && amount > 0n && amount <= leftToRefund(context) && !isKnown(context, refund);
}

/** A request with this key was accepted before. */
export function isKnown(context: Pick<Context, 'refunds'>, asked: Pick<RefundState, 'id' | 'idempotencyKey'>): boolean {
  return refundsOf(context).some(
    ({ id, idempotencyKey }) => id === asked.id || idempotencyKey === asked.idempotencyKey,
  );
}

export function addRefund(context: PaymentContext, { refund, now }: Requested): PaymentContext {
  return timed({ ...context, refunds: [...refundsOf(context), requestedRefund(refund, now)] });
}

/** The refunds after a fact about one of them; null: it changes nothing. */
export function refundsAfter(context: Pick<Context, 'refunds'>, fact: RefundFact): RefundState[] | null {
  const refunds = refundsOf(context);
  const at = refunds.findIndex(({ id }) => id === fact.refundId);
  const before = refunds[at];
  if (before === undefined || ('transfer' in fact && isOfAnother(refunds, before, fact.transfer))) return null;
  const after = stepRefund(before, fact);
  return after === null ? null : refunds.with(at, after);
}

/** Applies a fact about one refund. The timer of the others stays. */
export function applyRefund(context: PaymentContext, fact: RefundFact): PaymentContext {
  const { refunded: _, ...rest } = context;
  const refunds = refundsAfter(context, fact) ?? [...refundsOf(context)];
  const settled = refundedUnits({ refunds });
  return { ...rest, refunds, ...(settled === 0n ? {} : { refunded: String(settled) }) };
}

/** Sets the payment's timer to the end of the next requested refund. Only a settled payment has this timer. */
export function timed(context: PaymentContext): PaymentContext {
  return { ...context, wakeAt: nextRefundExpiry(context) };
}

/** Whether the payer has the money by this fact and had it not before, or the other way round. */
export function turnsRefund(context: Pick<Context, 'refunds'>, fact: RefundFact): boolean {
  const isSettled = (refunds: readonly RefundState[]) =>
    refunds.some(({ id, status }) => id === fact.refundId && status === 'settled');
  const before = refundsOf(context);
  return isSettled(refundsAfter(context, fact) ?? before) !== isSettled(before);
}

/** Ends the requested refunds whose time has run out. */
export function expireRefunds(context: PaymentContext, now: string): PaymentContext {
  return timed(stepAll(context, { type: 'refund.expired', now }));
}

/** The charge of the payment is gone from the chain: its requested refunds are given up. */
export function reverseRefunds(context: PaymentContext, now: string): PaymentContext {
  return stepAll(context, { type: 'refund.reversed', now });
}

/** When the first requested refund expires; null: none is requested. */
export function nextRefundExpiry(context: Pick<Context, 'refunds'>): string | null {
  const ends = refundsOf(context).flatMap(({ status, expiresAt }) => (status === 'requested' ? [expiresAt] : []));
  return ends.sort()[0] ?? null;
}

/** Whether the payment waits for the end of a requested refund, and for nothing else. */
export function isRefundDue(context: Pick<PaymentContext, 'refunds' | 'wakeAt'>): boolean {
  return context.wakeAt !== null && context.wakeAt === nextRefundExpiry(context);
}

/** True if nobody can refund this amount once more. */
function setsAside({ status }: RefundState): boolean {
  return status === 'requested' || status === 'sent' || status === 'settled';
}

function sumOf(refunds: readonly RefundState[]): bigint {
  return refunds.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

/** One transfer makes one refund. */
function isOfAnother(refunds: readonly RefundState[], { id }: RefundState, made: RefundTransfer): boolean {
  return refunds.some((each) => each.id !== id && each.transfer !== null && isSameTransfer(each.transfer, made));
}

export function isSameTransfer(one: RefundTransfer, other: RefundTransfer): boolean {
  return one.transaction === other.transaction && one.index === other.index;
}

function stepAll(context: PaymentContext, event: RefundEvent): PaymentContext {
  if (context.refunds === undefined) return context;
  return { ...context, refunds: context.refunds.map((refund) => stepRefund(refund, event) ?? refund) };
}

/** Null: the refund does not take the event, or it changes nothing. */
function stepRefund({ status, ...context }: RefundState, event: RefundEvent): RefundState | null {
  const before = refundMachine.resolveState({ value: status, context });
  const [after] = transition(refundMachine, before, event);
  return after === before ? null : { ...after.context, status: refundStatus.parse(after.value) };
}
