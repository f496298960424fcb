import { blockedReasonOf as blockedOf } from '../../../machines/payment/changes.ts';
import { type PaymentContext, paymentContext } from '../../../machines/payment/context.ts';
import { refundsOf } from '../../../machines/payment/refunds.ts';
import type { RefundState } from '../../../machines/refund/context.ts';
import { blockedReasonOf } from '../../../machines/subscription/changes.ts';
import {
  type EndReason,
  type SubscriptionContext,
  subscriptionContext,
} from '../../../machines/subscription/context.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';
import { actorTime } from '../../engine/projection.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { BLOCKED } from '../../model/blocked.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { ChargeView, DeliveryView, DepositView, JournalEntry, PaymentRow, SupportAnswer } from '../wire.ts';
import { nextChargeOf } from './next-charge.ts';
import { dayOf, momentText } from './views.ts';
import { causeText, FAILURES, PAUSES } from './waits.ts';

/** The facts behind the answers about a subscription. */
export interface SubscriptionFacts {
  readonly doc: ActorDoc;
  readonly journal: readonly JournalEntry[];
  /** The newest first. */
  readonly payments: readonly PaymentRow[];
  readonly charges: readonly ChargeView[];
}

/** A question that support is asked, and its answer; null: it does not arise now. */
interface Question<F> {
  readonly name: string;
  readonly question: string;
  readonly answerFrom: (facts: F) => string | null;
}

function answersTo<F>(questions: readonly Question<F>[], facts: F): SupportAnswer[] {
  return questions.flatMap(({ name, question, answerFrom }) => {
    const answer = answerFrom(facts);
    return answer === null ? [] : [{ name, question, answer }];
  });
}

const WHERE_IS_THE_MONEY = { name: 'where-is-the-money', question: "Where is the customer's money?" };

type Subscription = SubscriptionFacts & { readonly deps: HttpDeps; readonly context: SubscriptionContext };

const OF_SUBSCRIPTION: readonly Question<Subscription>[] = [
  { name: 'why-canceled', question: 'Why was it canceled?', answerFrom: whyCanceled },
  { name: 'why-failing', question: 'Why does its charge fail, and what happens next?', answerFrom: whyFailing },
  { name: 'why-not-charged', question: 'Why is the due charge not attempted?', answerFrom: whyNotCharged },
  { name: 'why-not-begun', question: 'Why has the subscription not started?', answerFrom: whyNotBegun },
  { name: 'next-charge', question: 'When is the next charge, and how much?', answerFrom: whenIsTheNext },
  { ...WHERE_IS_THE_MONEY, answerFrom: whereIsTheMoney },
  { name: 'charged-twice', question: 'Why was I charged more than once?', answerFrom: chargedTwice },
];

export function subscriptionAnswers(deps: HttpDeps, facts: SubscriptionFacts): SupportAnswer[] {
  return answersTo(OF_SUBSCRIPTION, { deps, context: subscriptionContext.parse(facts.doc.context), ...facts });
}

function whyCanceled({ context, doc, journal }: Subscription): string | null {
  if (doc.status !== 'canceled' || context.ended === null) return null;
  const row = journal.find(({ from, to }) => to.startsWith('canceled') && !from.startsWith('canceled'));
  const why = endings(context)[context.ended.reason];
  const by = row === undefined ? '' : ` Sent by ${row.by}${row.reason === null ? '' : `, reason: ${row.reason}`}.`;
  return `On ${dayOf(context.ended.at)}: ${why}.${by}`;
}

function endings({ open, consecutiveFailures, terms }: SubscriptionContext): { readonly [R in EndReason]: string } {
  const last = open?.failedFor ? `; the last one because ${FAILURES[open.failedFor]}` : '';
  return {
    requested: 'somebody requested it',
    customer_deleted: 'its customer was deleted',
    max_cycles_reached: `all of its ${terms.maxCycles ?? ''} cycles are paid`,
    max_failed_cycles_reached: `${consecutiveFailures} attempts in a row failed, and that is its limit${last}`,
    grace_expired: `it was past due for seven days, and every attempt failed (grace_expired)${last}`,
  };
}

function whyFailing({ doc, context: { open, pastDueSince, wakeAt, deferred } }: Subscription): string | null {
  if (open === null || open.failingSince === null || doc.status === 'canceled') return null;
  const why = causeText(open.failedFor);
  const since = pastDueSince === null ? '' : `Past due since ${dayOf(pastDueSince)}. `;
  const next = wakeAt === null || deferred !== null ? '' : ` The next attempt is on ${momentText(wakeAt)}.`;
  return `${since}Attempt ${open.attempt} of cycle ${open.number} failed: ${why}.${next}`;
}

function whyNotCharged({ context }: Subscription): string | null {
  const { deferred, open, wakeAt } = context;
  const reason = blockedReasonOf(context);
  const since = deferred?.since ?? open?.openedAt ?? null;
  if (reason === null || since === null) return null;
  const again = wakeAt === null ? '' : `; the next check is on ${momentText(wakeAt)}`;
  return `Since ${momentText(since)}, because ${BLOCKED[reason]} (${reason})${again}. This does not count as a failure.`;
}

function whyNotBegun({ doc, context: { payerWallet, authorizedAt } }: Subscription): string | null {
  if (doc.status !== 'pending' || authorizedAt !== null) return null;
  return payerWallet === null
    ? 'No wallet is linked. The payer has to open the authorization link and sign.'
    : `${payerWallet} has not allowed the charges. The service waits for an allowance that covers the first charge.`;
}

function whenIsTheNext({ deps, doc, context }: Subscription): string {
  return nextChargeOf(deps, doc, context, actorTime(deps.clock(), doc.clockOffsetMs)).sentence;
}

function whereIsTheMoney({ payments }: Subscription): string {
  const [last] = payments;
  if (last === undefined) return 'With the customer: nothing has been charged.';
  const paid = payments.find(({ status }) => status === 'settled');
  const before =
    paid === undefined || paid === last ? '' : ` The last settled charge (${paid.id}): ${moneySentence(paid)}`;
  return `The last charge (${last.id}): ${moneySentence(last)}${before}`;
}

function chargedTwice({ payments }: Subscription): string {
  const settled = payments.filter(({ status }) => status === 'settled');
  if (settled.length === 0) return 'No charge has settled.';
  const lines = settled
    .slice(0, 6)
    .map(({ cycle, period, amount, token }) => `cycle ${cycle} for ${period}: ${amount} ${token}`);
  const rest = settled.length > 6 ? `; and ${settled.length - 6} earlier` : '';
  const once =
    settled.length === 1 ? 'One charge has settled' : `${settled.length} charges have settled, each for its own period`;
  return `${once}: ${lines.join('; ')}${rest}. The chain refuses a second charge for the same cycle.`;
}

/** The progress of one payment's money. */
function moneySentence({ status, amount, token, from, to, txHash }: PaymentRow): string {
  switch (status) {
    case 'settled':
      return `${amount} ${token} went from ${from} to ${to} in ${txHash}, and this is final.`;
    case 'pulled':
      return `The charge of ${amount} ${token} from ${from} is in a block, but not final yet (${txHash}).`;
    case 'failed':
      return 'With the customer: no money has moved.';
    case 'canceled':
      return 'With the customer: the payment was canceled before it was charged.';
    default:
      return `Still with the customer: no block contains the charge of ${amount} ${token} yet.`;
  }
}

export interface PaymentFacts {
  readonly doc: ActorDoc;
  readonly payment: PaymentRow;
  readonly deposits: readonly DepositView[];
  /** Base units of the payment in token units. */
  readonly inTokens: (units: string) => string;
}

type Payment = PaymentFacts & { readonly context: PaymentContext };

const OF_PAYMENT: readonly Question<Payment>[] = [
  { ...WHERE_IS_THE_MONEY, answerFrom: ({ payment }) => moneySentence(payment) },
  {
    name: 'what-arrived',
    question: 'Has the transfer arrived, and where is the money now?',
    answerFrom: whatArrived,
  },
  { name: 'refunded', question: 'Was money given back, and what comes next?', answerFrom: whatIsRefunded },
  { name: 'why-failed', question: 'Why did it fail, and what comes next?', answerFrom: whyFailed },
  { name: 'what-for', question: 'What was this charge for?', answerFrom: whatFor },
];

export function paymentAnswers(facts: PaymentFacts): SupportAnswer[] {
  return answersTo(OF_PAYMENT, { context: paymentContext.parse(facts.doc.context), ...facts });
}

/** Of a `wallet_transfer`. */
function whatArrived({ context: { deposit }, deposits }: Payment): string | null {
  if (deposit === null) return null;
  const { address, expiresAt } = deposit;
  if (deposits.length === 0)
    return `No confirmed transfer has arrived at ${address}. The service waits for one until ${momentText(expiresAt)}.`;
  const lines = deposits.map(({ amount, charged, refunded, left, fate, txHash }) => {
    return `${amount} in ${txHash}: ${charged} charged, ${refunded} sent back, ${left} left (${fate})`;
  });
  return `At ${address}: ${lines.join('; ')}.`;
}

function whatIsRefunded({ context, payment: { token }, inTokens }: Payment): string | null {
  const lines = refundsOf(context).map((refund) => {
    return `${inTokens(refund.amount)} ${token} to ${refund.receiver}: ${refundText(refund)}.`;
  });
  return lines.length === 0 ? null : lines.join(' ');
}

function refundText({ status, expiresAt, transfer, settledAt, failure }: RefundState): string {
  const transaction = transfer?.transaction ?? '';
  switch (status) {
    case 'requested':
      return `a wallet of the merchant has to send it until ${momentText(expiresAt)}`;
    case 'sent':
      return `in ${transaction}, and settled once that block is final`;
    case 'settled':
      return `settled on ${momentText(settledAt ?? '')} in ${transaction}; nothing follows`;
    case 'failed':
      return failure === 'canceled' ? 'canceled by the merchant' : 'given up: the chain has dropped the charge';
    case 'expired':
      return 'the merchant sent nothing in time, and has to ask again';
    default:
      return unknownCase(status, 'status');
  }
}

function whyFailed({ payment, context }: Payment): string | null {
  const { failureReason, nextAttemptAt, pausedFor, pauses, wakeAt } = context;
  if (payment.status === 'failed' && failureReason !== null) {
    const next =
      nextAttemptAt === null ? 'No attempt follows.' : `The next attempt is on ${momentText(nextAttemptAt)}.`;
    return `${capital(FAILURES[failureReason])} (${failureReason}). ${next}`;
  }
  if (pausedFor === null) return null;
  const next = wakeAt === null ? '' : ` The next simulation is on ${momentText(wakeAt)}.`;
  return `Paused ${pauses} times: ${PAUSES[pausedFor]} (${blockedOf(context)}). No money has moved.${next}`;
}

function whatFor({ payment: { cycle, period, subscriptionId, amount, token } }: Payment): string {
  if (subscriptionId === null) return `A one-off payment of ${amount} ${token}.`;
  return `Cycle ${cycle} of ${subscriptionId}, for ${period}: ${amount} ${token}.`;
}

export function deliveryAnswers({ status, attempts, nextAttemptAt }: DeliveryView): SupportAnswer[] {
  const about = { name: 'was-it-delivered', question: 'Did the webhook arrive?' };
  if (status === 'no_endpoint') {
    return [{ ...about, answer: 'No: no webhook URL was set. Set one, and deliver it once more.' }];
  }
  const last = attempts.at(-1);
  const lastAttempt =
    last === undefined
      ? 'no attempt has ended'
      : `attempt ${last.attempt} on ${momentText(last.startedAt)} ended with ${last.status ?? last.error}`;
  const next = nextAttemptAt === null ? '' : ` The next attempt is on ${momentText(nextAttemptAt)}.`;
  const sentence = { delivered: 'Yes', failed: 'No: six attempts have failed' }[status ?? ''] ?? 'Not yet';
  return [{ ...about, answer: `${sentence}; ${lastAttempt}.${next}` }];
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
