import type { PortalPayment, PortalSubscription, Price } from '../../src/portal/wire.ts';
import { dateOf, rhythm } from '../pay/words.ts';
import type { Tone } from '../ui/badge.tsx';

export interface Said {
  readonly tone: Tone;
  readonly text: string;
}

/** "9.90 USD every month". */
export function priceText({ amount, currency, interval, intervalCount }: Price): string {
  return `${amount} ${currency} ${rhythm(interval, intervalCount)}`;
}

/** The state of a subscription in words. */
export function stateOf({ status, cancelAt, trialEnd, ended }: PortalSubscription): Said {
  switch (status) {
    case 'canceled':
      return { tone: 'plain', text: ended === null ? 'Ended' : `Ended on ${dateOf(ended.at)}` };
    case 'past_due':
      return { tone: 'bad', text: 'A charge has failed' };
    case 'active':
      return cancelAt === null
        ? { tone: 'good', text: 'Active' }
        : { tone: 'warn', text: `Ends on ${dateOf(cancelAt)}` };
    case 'pending':
      if (cancelAt !== null) return { tone: 'warn', text: `Ends on ${dateOf(cancelAt)}` };
      return trialEnd === null
        ? { tone: 'warn', text: 'Not charged yet' }
        : { tone: 'accent', text: `Free until ${dateOf(trialEnd)}` };
    default: {
      const never: never = status;
      throw new Error(`unknown status ${String(never)}`);
    }
  }
}

const REASONS: { readonly [R in NonNullable<PortalSubscription['ended']>['reason']]: string | null } = {
  requested: null,
  customer_deleted: 'The merchant has deleted its record of you.',
  max_cycles_reached: 'All agreed payments are made.',
  max_failed_cycles_reached: 'Its charges have failed too often.',
  grace_expired: 'Its charges have failed too often.',
};

/** Why it has ended; null: on request, or it has not ended. */
export function whyEnded({ ended }: PortalSubscription): string | null {
  return ended === null ? null : REASONS[ended.reason];
}

/** The next charge, with date and amount. */
export function nextChargeOf({ status, nextCharge, cancelAt, blockedReason }: PortalSubscription): string {
  if (nextCharge === null) return 'None';
  const price = `${nextCharge.price.amount} ${nextCharge.price.currency}`;
  if (blockedReason !== null) return `${price}, which waits for the merchant`;
  if (nextCharge.at !== null) return `${price} on ${dateOf(nextCharge.at)}`;
  if (status === 'past_due') return `${price}, which is tried again`;
  return cancelAt === null && status === 'pending' ? `${price}, once you have approved it` : `${price}, on its way`;
}

/** A payment in words. */
export function paymentState({ status }: PortalPayment): Said {
  switch (status) {
    case 'settled':
      return { tone: 'good', text: 'Paid' };
    case 'pulled':
    case 'pending':
      return { tone: 'accent', text: 'On its way' };
    case 'failed':
      return { tone: 'bad', text: 'Failed, nothing was taken' };
    case 'canceled':
      return { tone: 'plain', text: 'Withdrawn' };
    default: {
      const never: never = status;
      throw new Error(`unknown status ${String(never)}`);
    }
  }
}
