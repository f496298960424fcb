import type { Dispatch } from '../../engine/types.ts';

/** What customers and offers have to say to subscriptions. None of it comes by way of an actor's outbox: repeated, it is refused. */

/** Its customer has been deleted (docs/rules.md, "Customers"). */
export function cancelOfCustomer(id: string, customerId: string): Dispatch<'subscription'> {
  const event = { type: 'cancel.requested', atPeriodEnd: false, reason: 'customer_deleted' } as const;
  return { kind: 'subscription', id, event, by: `customer:${customerId}` };
}

/** Its offer was deleted while it was being made. */
export function cancelOfOffer(id: string, offerId: string): Dispatch<'subscription'> {
  const event = { type: 'cancel.requested', atPeriodEnd: false, reason: 'requested' } as const;
  return { kind: 'subscription', id, event, by: `offer:${offerId}` };
}

/** Its customer has a wallet of the family now. Refused by one that bills a wallet already. */
export function payerLinked(id: string, customerId: string, wallet: string): Dispatch<'subscription'> {
  return { kind: 'subscription', id, event: { type: 'payer.linked', wallet }, by: `customer:${customerId}` };
}
