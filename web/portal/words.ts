import { unknownCase } from '../../machines/unknown-case.ts';
import type { PortalPayment, PortalSubscription } from '../../src/portal/wire.ts';
import { type MessageKey, say } from '../i18n/say.ts';
import { atMost, chargeDateOf, dateOf } from '../pay/words.ts';
import type { Tone } from '../ui/badge.tsx';
import { money } from '../ui/decimal.ts';
import { times } from '../ui/sum.ts';

export interface StateText {
  readonly tone: Tone;
  readonly text: string;
}

export function stateOf({ status, cancelAt, trialEnd, ended, price, pause }: PortalSubscription): StateText {
  switch (status) {
    case 'canceled':
      return {
        tone: 'plain',
        text: ended === null ? say('portal.state_ended') : say('portal.state_ended_on', { date: dateOf(ended.at) }),
      };
    case 'past_due':
      return { tone: 'bad', text: say('portal.state_past_due') };
    case 'active':
      if (pause !== null) return { tone: 'warn', text: pausedText(pause.until) };
      return cancelAt === null
        ? { tone: 'good', text: say('portal.state_active') }
        : { tone: 'warn', text: say('portal.state_ends_on', { date: dateOf(cancelAt) }) };
    case 'pending':
      if (cancelAt !== null) return { tone: 'warn', text: say('portal.state_ends_on', { date: dateOf(cancelAt) }) };
      if (trialEnd === null) return { tone: 'warn', text: say('portal.state_not_charged') };
      return {
        tone: 'accent',
        text: say(firstChargeKey(price), { date: dateOf(trialEnd) }),
      };
    default:
      return unknownCase(status, 'status');
  }
}

function firstChargeKey({ metered }: PortalSubscription['price']): MessageKey {
  if (metered === null) return 'portal.state_free_until';
  return metered.thresholdAmount === undefined ? 'portal.state_first_charge' : 'portal.state_first_charge_by';
}

function pausedText(until: string | null): string {
  return until === null ? say('pause.state') : say('pause.state_until', { date: dateOf(until) });
}

const REASONS: { readonly [R in NonNullable<PortalSubscription['ended']>['reason']]: MessageKey | null } = {
  requested: null,
  customer_deleted: 'portal.why_customer_deleted',
  max_cycles_reached: 'portal.why_max_cycles',
  max_failed_cycles_reached: 'portal.why_failed',
  grace_expired: 'portal.why_failed',
};

/** Why it has ended; null: on request, or it has not ended. */
export function whyEnded({ ended }: PortalSubscription): string | null {
  const why = ended && REASONS[ended.reason];
  return why === null ? null : say(why);
}

/** The next charge, with date and amount. */
export function nextChargeOf(subscription: PortalSubscription): string {
  const { status, nextCharge, cancelAt, blockedReason, discount, pause, ticker } = subscription;
  if (nextCharge === null) return say('portal.next_none');
  const { amount, currency, units, metered } = nextCharge.price;
  const full = metered === null ? money(times(amount, units?.quantity ?? 1), currency) : atMost(metered);
  const price = discount === null || metered !== null ? full : money(discount.charge, ticker);
  if (blockedReason !== null) return say('portal.next_blocked', { price });
  const on = metered?.thresholdAmount === undefined ? 'portal.next_on' : 'portal.next_by';
  if (nextCharge.at !== null) return say(on, { price, date: chargeDateOf(nextCharge.at) });
  if (pause !== null) return say('pause.next', { price });
  if (status === 'past_due') return say('portal.next_retried', { price });
  const isUnapproved = cancelAt === null && status === 'pending';
  return say(isUnapproved ? 'portal.next_approval' : 'portal.next_on_its_way', { price });
}

export function paymentState({ status, nextAttemptAt }: PortalPayment): StateText {
  switch (status) {
    case 'settled':
      return { tone: 'good', text: say('portal.payment_paid') };
    case 'pulled':
    case 'pending':
      return {
        tone: 'accent',
        text:
          nextAttemptAt === null
            ? say('portal.payment_on_its_way')
            : say('portal.payment_on', { date: dateOf(nextAttemptAt) }),
      };
    case 'failed':
      return { tone: 'bad', text: say('portal.payment_failed') };
    case 'canceled':
      return { tone: 'plain', text: say('portal.payment_withdrawn') };
    default:
      return unknownCase(status, 'status');
  }
}
