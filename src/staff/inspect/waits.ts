import { deliveryContext } from '../../../machines/delivery/context.ts';
import type { FailureReason } from '../../../machines/effects.ts';
import { type PauseReason, paymentContext } from '../../../machines/payment/context.ts';
import { blockedReasonOf } from '../../../machines/subscription/changes.ts';
import { BLOCKED_BY, type SubscriptionContext, subscriptionContext } from '../../../machines/subscription/context.ts';
import { chargeDueAt, dueAt } from '../../../machines/subscription/next-charge.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';
import { BLOCKED } from '../../model/blocked.ts';
import type { Waits } from '../wire.ts';
import type { Inspected } from './inspected.ts';

/** @param state its innermost state, such as `past_due.waiting` */
export function waitsOf(doc: Inspected, state: string): Waits {
  switch (doc.kind) {
    case 'subscription':
      return subscriptionWaits(subscriptionContext.parse(doc.context), state);
    case 'payment':
      return paymentWaits(doc, state);
    case 'delivery':
      return deliveryWaits(doc, state);
    default:
      return unknownCase(doc.kind, 'kind');
  }
}

/** Why an attempt failed, in words. */
export const FAILURES: { readonly [F in FailureReason]: string } = {
  insufficient_allowance: 'the allowance of the wallet is too small',
  insufficient_balance: 'the wallet has too little of the token',
  pull_reverted: 'the token refused the transfer, or the charge was reorged out',
  forward_reverted: "the merchant's payout wallet refuses the payment",
  platform_transfer_reverted: "the platform's wallet refuses its fee",
  distribute_reverted: 'a share of the split cannot be delivered',
};

/** Why a charge moved nothing, in words; null: the sandbox forced it. */
export function causeText(reason: FailureReason | 'reorged' | null): string {
  if (reason === null) return 'the sandbox forced the failure';
  return reason === 'reorged' ? 'its block was reorged out' : FAILURES[reason];
}

/** Why a payment has paused, in words. */
export const PAUSES: { readonly [R in PauseReason]: string } = { ...BLOCKED, ...FAILURES };

function subscriptionWaits(context: SubscriptionContext, state: string): Waits {
  const { open, deferred, cancelAt, wakeAt } = context;
  const blocked = blockedReasonOf(context);
  switch (state) {
    case 'pending.waiting':
      return deferred ? deferral(context) : beforeTheFirst(context);
    case 'pending.charging':
    case 'active.charging':
    case 'past_due.charging':
      return {
        what: `the end of attempt ${open?.attempt} of cycle ${open?.number}, which is in flight${blocked === null ? '' : `, but ${BLOCKED[blocked]}`}`,
        until: null,
      };
    case 'pending.dunning':
    case 'past_due.waiting':
      if (deferred) return deferral(context);
      if (cancelAt !== null && cancelAt === wakeAt) return { what: 'its scheduled end', until: wakeAt };
      return { what: `the next attempt of cycle ${open?.number}, or a payer who can pay earlier`, until: wakeAt };
    case 'active.waiting': {
      if (deferred) return deferral(context);
      const due = dueAt(context);
      if (cancelAt !== null && cancelAt === due) return { what: 'its scheduled end', until: due };
      return { what: 'the next charge, at the end of the period', until: due };
    }
    case 'active.paused':
      return { what: context.pause?.until ? 'the end of its pause' : 'somebody who resumes it', until: dueAt(context) };
    case 'canceled.closing':
      return { what: 'the end of a charge that may have started before the cancel', until: null };
    default:
      return { what: 'nothing: it has ended', until: null };
  }
}

function beforeTheFirst(context: SubscriptionContext): Waits {
  const { payerWallet, authorizedAt, trialEnd, terms } = context;
  if (payerWallet === null) return { what: 'a payer, because no wallet is linked', until: null };
  if (authorizedAt === null) return { what: `an allowance of ${payerWallet} for its charges`, until: null };
  const due = chargeDueAt(context);
  const end = terms.model?.kind === 'metered' ? 'of its first period' : 'of the trial';
  return { what: due === trialEnd ? `the first charge, at the end ${end}` : 'the first charge', until: due };
}

function deferral({ deferred, wakeAt }: SubscriptionContext): Waits {
  const why = deferred === null ? '' : BLOCKED[BLOCKED_BY[deferred.why]];
  return { what: `the next check: a due charge is not attempted, because ${why}`, until: wakeAt };
}

function paymentWaits(doc: Inspected, state: string): Waits {
  const { attempt, pausedFor, nextAttemptAt, wakeAt, cycleOf } = paymentContext.parse(doc.context);
  switch (state) {
    case 'pending.requested':
      return { what: `a sender for attempt ${attempt}`, until: null };
    case 'pending.awaiting':
      return { what: 'a transfer to its deposit address', until: wakeAt };
    case 'pending.started':
      return { what: 'a block: a sender is signing or sending the charge', until: null };
    case 'pending.paused':
      return { what: `the next submission: ${pausedFor === null ? 'it is paused' : PAUSES[pausedFor]}`, until: wakeAt };
    case 'pulled':
      return { what: 'confirmations: it is in a block, and not final yet', until: null };
    case 'settled':
      return {
        what: 'nothing, unless its block is reorged out before finality; the money has arrived',
        until: null,
      };
    case 'failed':
      if (nextAttemptAt !== null) return { what: 'the next attempt', until: nextAttemptAt };
      return { what: cycleOf ? 'nothing, unless its subscription tries again' : 'nothing: it has ended', until: null };
    default:
      return { what: 'nothing: it has ended', until: null };
  }
}

function deliveryWaits(doc: Inspected, state: string): Waits {
  const { wakeAt, attempt } = deliveryContext.parse(doc.context);
  switch (state) {
    case 'queued':
      return { what: 'its turn: the first attempt of the event before it has not ended', until: null };
    case 'sending':
      return { what: `the answer to attempt ${attempt}`, until: wakeAt };
    case 'retrying':
      return { what: `attempt ${attempt + 1}`, until: wakeAt };
    default:
      return { what: 'nothing: it has ended', until: null };
  }
}
