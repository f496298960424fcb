import { deliveryContext } from '../../../machines/delivery/context.ts';
import { blockedReasonOf as blockedOf } from '../../../machines/payment/changes.ts';
import { type PaymentContext, paymentContext } from '../../../machines/payment/context.ts';
import { blockedReasonOf } from '../../../machines/subscription/changes.ts';
import {
  type EndReason,
  type SubscriptionContext,
  subscriptionContext,
} from '../../../machines/subscription/context.ts';
import { actorTime } from '../../engine/projection.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { BLOCKED } from '../../model/blocked.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { ChargeView, DeliveryView, DepositView, JournalEntry, PaymentRow, SupportAnswer } from '../wire.ts';
import { nextChargeOf } from './next-charge.ts';
import { dayOf, momentText } from './views.ts';
import { FAILURES, PAUSES } from './waits.ts';

/** The facts behind the answers about a subscription. */
export interface SubscriptionFacts {
  readonly doc: ActorDoc;
  readonly journal: readonly JournalEntry[];
  /** The newest first. */
  readonly payments: readonly PaymentRow[];
  readonly charges: readonly ChargeView[];
}

export function subscriptionAnswers(deps: HttpDeps, facts: SubscriptionFacts): SupportAnswer[] {
  const context = subscriptionContext.parse(facts.doc.context);
  const now = actorTime(deps.clock(), facts.doc.clockOffsetMs);
  return [
    ...canceled(context, facts),
    ...pastDue(facts.doc, context),
    ...notCharged(context),
    ...notBegun(facts.doc, context),
    whenIsTheNext(deps, facts.doc, context, now),
    whereIsTheMoney(facts),
    chargedTwice(facts),
  ];
}

function canceled(context: SubscriptionContext, { doc, journal }: SubscriptionFacts): SupportAnswer[] {
  if (doc.status !== 'canceled' || context.ended === null) return [];
  const row = journal.find(({ from, to }) => to.startsWith('canceled') && !from.startsWith('canceled'));
  const why = endings(context)[context.ended.reason];
  const by = row === undefined ? '' : ` Sent by ${row.by}${row.reason === null ? '' : `, reason: ${row.reason}`}.`;
  const text = `On ${dayOf(context.ended.at)}: ${why}.${by}`;
  return [{ name: 'why-canceled', question: 'Why was it canceled?', answer: text }];
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

function pastDue({ status }: ActorDoc, { open, pastDueSince, wakeAt, deferred }: SubscriptionContext): SupportAnswer[] {
  if (open === null || open.failingSince === null || status === 'canceled') return [];
  const why = open.failedFor === null ? 'the sandbox forced the failure' : FAILURES[open.failedFor];
  const since = pastDueSince === null ? '' : `Past due since ${dayOf(pastDueSince)}. `;
  const next = wakeAt === null || deferred !== null ? '' : ` The next attempt is on ${momentText(wakeAt)}.`;
  const text = `${since}Attempt ${open.attempt} of cycle ${open.number} failed: ${why}.${next}`;
  return [{ name: 'why-failing', question: 'Why does its charge fail, and what happens next?', answer: text }];
}

function notCharged(context: SubscriptionContext): SupportAnswer[] {
  const { deferred, open, wakeAt } = context;
  const reason = blockedReasonOf(context);
  const since = deferred?.since ?? open?.openedAt ?? null;
  if (reason === null || since === null) return [];
  const again = wakeAt === null ? '' : `; the next check is on ${momentText(wakeAt)}`;
  const text = `Since ${momentText(since)}, because ${BLOCKED[reason]} (${reason})${again}. This does not count as a failure.`;
  return [{ name: 'why-not-charged', question: 'Why is the due charge not attempted?', answer: text }];
}

function notBegun({ status }: ActorDoc, { payerWallet, authorizedAt }: SubscriptionContext): SupportAnswer[] {
  if (status !== 'pending' || authorizedAt !== null) return [];
  const text =
    payerWallet === null
      ? 'No wallet is linked. The payer has to open the authorization link and sign.'
      : `${payerWallet} has not allowed the charges. The service waits for an allowance that covers the first charge.`;
  return [{ name: 'why-not-begun', question: 'Why has the subscription not started?', answer: text }];
}

function whenIsTheNext(deps: HttpDeps, doc: ActorDoc, context: SubscriptionContext, now: string): SupportAnswer {
  const { sentence } = nextChargeOf(deps, doc, context, now);
  return { name: 'next-charge', question: 'When is the next charge, and how much?', answer: sentence };
}

function whereIsTheMoney({ payments }: SubscriptionFacts): SupportAnswer {
  const about = { name: 'where-is-the-money', question: "Where is the customer's money?" };
  const [last] = payments;
  if (last === undefined) return { ...about, answer: 'With the customer: nothing has been charged.' };
  const paid = payments.find(({ status }) => status === 'settled');
  const before = paid === undefined || paid === last ? '' : ` The last settled charge: ${moneySentence(paid)}`;
  return { ...about, answer: `The last charge: ${moneySentence(last)}${before}` };
}

function chargedTwice({ payments }: SubscriptionFacts): SupportAnswer {
  const settled = payments.filter(({ status }) => status === 'settled');
  const about = { name: 'charged-twice', question: 'Why was I charged more than once?' };
  if (settled.length === 0) return { ...about, answer: 'No charge has settled.' };
  const lines = settled
    .slice(0, 6)
    .map(({ cycle, period, amount, token }) => `cycle ${cycle} for ${period}: ${amount} ${token}`);
  const rest = settled.length > 6 ? `; and ${settled.length - 6} earlier` : '';
  const once =
    settled.length === 1 ? 'One charge has settled' : `${settled.length} charges have settled, each for its own period`;
  return {
    ...about,
    answer: `${once}: ${lines.join('; ')}${rest}. The chain refuses a second charge for the same cycle.`,
  };
}

/** The progress of one payment's money. */
function moneySentence({ id, status, amount, token, from, to, txHash, failureReason }: PaymentRow): string {
  switch (status) {
    case 'settled':
      return `${amount} ${token} went from ${from} to ${to} in ${txHash}, and this is final (${id}).`;
    case 'pulled':
      return `The charge of ${amount} ${token} from ${from} is in a block, but not final yet (${txHash}, ${id}).`;
    case 'failed': {
      const why = failureReason === null ? '' : ` because ${FAILURES[failureReason]}`;
      return `With the customer: no money has moved. The charge of ${amount} ${token} failed${why} (${id}).`;
    }
    case 'canceled':
      return `With the customer: the payment was canceled before it was charged (${id}).`;
    default:
      return `Still with the customer: no block contains the charge of ${amount} ${token} yet (${id}).`;
  }
}

export interface PaymentFacts {
  readonly doc: ActorDoc;
  readonly payment: PaymentRow;
  readonly deposits: readonly DepositView[];
}

export function paymentAnswers({ doc, payment, deposits }: PaymentFacts): SupportAnswer[] {
  const context = paymentContext.parse(doc.context);
  return [
    { name: 'where-is-the-money', question: "Where is the customer's money?", answer: moneySentence(payment) },
    ...whatArrived(context, deposits),
    ...whyFailed(payment, context),
    whatFor(payment),
  ];
}

/** Of a `wallet_transfer`. */
function whatArrived({ deposit }: PaymentContext, deposits: PaymentFacts['deposits']): SupportAnswer[] {
  if (deposit === null) return [];
  const about = { name: 'what-arrived', question: 'Has the transfer arrived, and where is the money now?' };
  if (deposits.length === 0) {
    const text = `No confirmed transfer has arrived at ${deposit.address}. The service waits for one until ${momentText(deposit.expiresAt)}.`;
    return [{ ...about, answer: text }];
  }
  const lines = deposits.map(({ amount, charged, refunded, left, fate, txHash }) => {
    return `${amount} in ${txHash}: ${charged} charged, ${refunded} sent back, ${left} left (${fate})`;
  });
  return [{ ...about, answer: `At ${deposit.address}: ${lines.join('; ')}.` }];
}

function whyFailed({ status }: PaymentRow, context: PaymentContext): SupportAnswer[] {
  const { failureReason, nextAttemptAt, pausedFor, wakeAt } = context;
  const about = { name: 'why-failed', question: 'Why did it fail, and what comes next?' };
  if (status === 'failed' && failureReason !== null) {
    const next =
      nextAttemptAt === null ? 'No attempt follows.' : `The next attempt is on ${momentText(nextAttemptAt)}.`;
    return [{ ...about, answer: `${capital(FAILURES[failureReason])} (${failureReason}). ${next}` }];
  }
  if (pausedFor === null) return [];
  const next = wakeAt === null ? '' : ` The next simulation is on ${momentText(wakeAt)}.`;
  return [{ ...about, answer: `${capital(PAUSES[pausedFor])} (${blockedOf(context)}). No money has moved.${next}` }];
}

function whatFor({ cycle, period, subscriptionId, amount, token }: PaymentRow): SupportAnswer {
  const about = { name: 'what-for', question: 'What was this charge for?' };
  if (subscriptionId === null) return { ...about, answer: `A one-off payment of ${amount} ${token}.` };
  return { ...about, answer: `Cycle ${cycle} of ${subscriptionId}, for ${period}: ${amount} ${token}.` };
}

export function deliveryAnswers(doc: ActorDoc, delivery: DeliveryView): SupportAnswer[] {
  const { attempts } = deliveryContext.parse(doc.context);
  const last = attempts.at(-1);
  const lastAttempt =
    last === undefined
      ? 'no attempt has ended'
      : `attempt ${last.attempt} on ${momentText(last.startedAt)} ended with ${last.status ?? last.error}`;
  const next = delivery.nextAttemptAt === null ? '' : ` The next attempt is on ${momentText(delivery.nextAttemptAt)}.`;
  const sentence =
    { delivered: 'Yes', failed: 'No: six attempts have failed', no_endpoint: 'No: no webhook URL was set' }[
      doc.status
    ] ?? 'Not yet';
  return [
    { name: 'was-it-delivered', question: 'Did the webhook arrive?', answer: `${sentence}; ${lastAttempt}.${next}` },
  ];
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
