import type { Envelope } from '../../../lib/receiver.ts';

/** Matches this event of this subscription. */
export function ofSubscription(subscriptionId: string, event: string) {
  return (envelope: Envelope): boolean =>
    envelope.event === event && envelope.data['subscriptionId'] === subscriptionId;
}

/** Matches this event of the cycle that this payment is of. */
export function ofCycle(paymentId: string, event: string) {
  const invoiceId = invoiceIdOf(paymentId);
  return (envelope: Envelope): boolean => envelope.event === event && envelope.data['invoiceId'] === invoiceId;
}

/** How events spell the payment of a cycle (docs/rules.md, "Names, roots, shapes"). */
export function invoiceIdOf(paymentId: string): string {
  return paymentId.replace('pay_', 'sub-pay-');
}
