import type { Envelope } from '../../../../stage/receiver.ts';

/** Matches this event of this subscription. */
export function ofSubscription(subscriptionId: string, event: string) {
  return (envelope: Envelope): boolean =>
    envelope.event === event && envelope.data['subscriptionId'] === subscriptionId;
}

/** Matches this event of the cycle of this payment. */
export function ofCycle(paymentId: string, event: string) {
  const invoiceId = invoiceIdOf(paymentId);
  return (envelope: Envelope): boolean => envelope.event === event && envelope.data['invoiceId'] === invoiceId;
}

/** The id of a cycle's payment in events (docs/rules.md, "Names, roots, shapes"). */
export function invoiceIdOf(paymentId: string): string {
  return paymentId.replace('pay_', 'sub-pay-');
}
