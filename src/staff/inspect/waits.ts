import { deliveryContext } from '../../../machines/delivery/context.ts';
import type { FailureReason } from '../../../machines/effects.ts';
import { type PauseReason, paymentContext } from '../../../machines/payment/context.ts';
import { blockedReasonOf, chargeDueAt, dueAt } from '../../../machines/subscription/changes.ts';
import { BLOCKED_BY, type SubscriptionContext, subscriptionContext } from '../../../machines/subscription/context.ts';
import { BLOCKED } from '../../billing/blocked.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Waits } from '../wire.ts';

/** @param state its innermost state, such as `past_due.waiting` */
export function waitsOf(doc: ActorDoc, state: string): Waits {
  switch (doc.kind) {
    case 'subscription':
      return subscriptionWaits(subscriptionContext.parse(doc.context), state);
    case 'payment':
      return paymentWaits(doc, state);
    case 'delivery':
      return deliveryWaits(doc, state);
    default: {
      const never: never = doc.kind;
      throw new Error(`unknown kind ${String(never)}`);
    }
  }
}

/** Why an attempt failed, in words. */
export const FAILURES: { readonly [F in FailureReason]: string } = {
  insufficient_allowance: 'the wallet allows too little to be taken',
  insufficient_balance: 'the wallet has too little of the token',
  pull_reverted: 'the token refused to move, or the charge was reorged out',
  forward_reverted: "the merchant's payout wallet does not take it",
  platform_transfer_reverted: "the platform's wallet does not take its fee",
  distribute_reverted: 'a share of the split cannot be delivered',
};

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
        what: `The chain: attempt ${open?.attempt} of cycle ${open?.number} is in flight${blocked === null ? '' : `, and ${BLOCKED[blocked]}`}`,
        until: null,
      };
    case 'pending.dunning':
    case 'past_due.waiting':
      if (deferred) return deferral(context);
      if (cancelAt !== null && cancelAt === wakeAt) return { what: 'Its end, which is scheduled', until: wakeAt };
      return { what: `The next attempt of cycle ${open?.number}, or for the payer to make it possible`, until: wakeAt };
    case 'active.waiting': {
      if (deferred) return deferral(context);
      const due = dueAt(context);
      if (cancelAt !== null && cancelAt === due) return { what: 'Its end, which is scheduled', until: due };
      return { what: 'The end of the paid period: the next charge', until: due };
    }
    case 'canceled.closing':
      return { what: 'The end of a charge that may have been started before it was canceled', until: null };
    default:
      return { what: 'Nothing: it is over', until: null };
  }
}

function beforeTheFirst(context: SubscriptionContext): Waits {
  const { payerWallet, authorizedAt, trialEnd } = context;
  if (payerWallet === null) return { what: 'A wallet: nobody has been linked as its payer', until: null };
  if (authorizedAt === null) return { what: `${payerWallet} to allow its charges`, until: null };
  const due = chargeDueAt(context);
  return { what: due === trialEnd ? 'The end of the trial: the first charge' : 'The first charge', until: due };
}

function deferral({ deferred, wakeAt }: SubscriptionContext): Waits {
  const why = deferred === null ? '' : BLOCKED[BLOCKED_BY[deferred.why]];
  return { what: `A due charge is not attempted, for ${why}; it is checked again`, until: wakeAt };
}

function paymentWaits(doc: ActorDoc, state: string): Waits {
  const { attempt, pausedFor, nextAttemptAt, wakeAt, cycleOf } = paymentContext.parse(doc.context);
  switch (state) {
    case 'pending.requested':
      return { what: `A sender to take attempt ${attempt}`, until: null };
    case 'pending.awaiting':
      return { what: 'What is sent to its deposit address', until: wakeAt };
    case 'pending.started':
      return { what: 'A block: the charge has been taken for signing', until: null };
    case 'pending.paused':
      return { what: `The next try: ${pausedFor === null ? 'it is paused' : PAUSES[pausedFor]}`, until: wakeAt };
    case 'pulled':
      return { what: 'Depth: it is in a block, and not final yet', until: null };
    case 'settled.watched':
      return {
        what: 'Nothing, unless its block is reorged out before it is finalized; the money has arrived',
        until: null,
      };
    case 'failed':
      if (nextAttemptAt !== null) return { what: 'The next attempt', until: nextAttemptAt };
      return { what: cycleOf ? 'Nothing, unless its subscription tries again' : 'Nothing: it is over', until: null };
    default:
      return { what: 'Nothing: it is over', until: null };
  }
}

function deliveryWaits(doc: ActorDoc, state: string): Waits {
  const { wakeAt, attempt } = deliveryContext.parse(doc.context);
  switch (state) {
    case 'queued':
      return { what: 'Its turn: the first attempt of the event before it has not ended', until: null };
    case 'sending':
      return { what: `The answer to attempt ${attempt}`, until: wakeAt };
    case 'retrying':
      return { what: `Attempt ${attempt + 1}`, until: wakeAt };
    default:
      return { what: 'Nothing: it is over', until: null };
  }
}
