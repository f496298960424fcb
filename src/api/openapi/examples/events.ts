import type { z } from 'zod';
import type { WebhookEvent } from '../../../../machines/effects.ts';
import type { EVENT_DATA } from '../../../webhooks/events.ts';
import { exampleCustomer } from './customer.ts';
import { ADDRESSES, IDS, MOMENTS, TOKEN } from './ids.ts';

const ofSubscription = { subscriptionId: IDS.subscription, offerId: IDS.offer, priceId: IDS.monthly };
const ofCycle = {
  source: 'subscription',
  subscriptionId: IDS.subscription,
  invoiceId: `sub-pay-${IDS.cycle}`,
} as const;

const DATA: { readonly [E in WebhookEvent]: z.output<(typeof EVENT_DATA)[E]> } = {
  'customer.created': { customerId: IDS.customer, wallets: exampleCustomer.wallets },
  'customer.updated': { customerId: IDS.customer, wallets: exampleCustomer.wallets },
  'customer.deleted': { customerId: IDS.customer },
  'subscription.created': { ...ofSubscription, status: 'pending' },
  'subscription.active': ofSubscription,
  'subscription.canceled': { ...ofSubscription, reason: 'max_failed_cycles_reached' },
  'payment.succeeded': ofCycle,
  'payment.failed': { ...ofCycle, reason: 'insufficient_balance' },
  'payment.canceled': { paymentId: IDS.payment },
  'wallet.updated': {
    tokenKey: TOKEN.tokenKey,
    previousWallet: null,
    newWallet: ADDRESSES.payout,
    source: 'api',
  },
  'subscription.trialing': ofSubscription,
  'subscription.past_due': ofSubscription,
  'subscription.recovered': ofSubscription,
  'subscription.at_risk': { ...ofSubscription, reason: 'insufficient_balance', chargeAt: MOMENTS.periodEnd },
  'subscription.migrated': ofSubscription,
  'subscription.blocked': { ...ofSubscription, reason: 'no_payout_wallet' },
  'subscription.quantity_changed': { ...ofSubscription, previousQuantity: 3, quantity: 5 },
  'subscription.usage_threshold': { ...ofSubscription, level: 80 },
  'subscription.paused': { ...ofSubscription, pausedUntil: null },
  'subscription.resumed': { ...ofSubscription, currentPeriodEnd: MOMENTS.periodEnd },
  'payment.pulled': ofCycle,
  'payment.refunded': { ...ofCycle, refundId: IDS.refund },
  'payment.refund_reversed': { ...ofCycle, refundId: IDS.refund },
};

/** One delivery of each kind, about the resources of the other examples. */
export function exampleEvent(event: WebhookEvent) {
  return {
    id: IDS.event,
    event,
    createdAt: MOMENTS.settled,
    isSandbox: true,
    data: DATA[event],
    sequence: 1,
  };
}
