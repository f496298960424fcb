import type { Dispatch } from '../../../engine/types.ts';

/** Events of customers and offers for subscriptions. They use no actor's outbox; a repeated one is refused. */

/** For a deleted customer (docs/rules.md, "Customers"). */
export function cancelOfCustomer(id: string, customerId: string): Dispatch<'subscription'> {
  const event = { type: 'cancel.requested', atPeriodEnd: false, reason: 'customer_deleted' } as const;
  return { kind: 'subscription', id, event, by: `customer:${customerId}` };
}

/** For an offer that was deleted while the subscription was created. */
export function cancelOfOffer(id: string, offerId: string): Dispatch<'subscription'> {
  const event = { type: 'cancel.requested', atPeriodEnd: false, reason: 'requested', canceledBy: 'merchant' } as const;
  return { kind: 'subscription', id, event, by: `offer:${offerId}` };
}

/** For a customer that has a wallet of the family now. A subscription that bills a wallet already refuses it. */
export function payerLinked(id: string, customerId: string, wallet: string): Dispatch<'subscription'> {
  return { kind: 'subscription', id, event: { type: 'payer.linked', wallet }, by: `customer:${customerId}` };
}
