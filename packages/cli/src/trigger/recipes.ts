import type { WebhookEvent } from 'tideline/client';
import type { Shop } from './shop.ts';

/** Makes the event happen. Resolves with an id that is in the event's data. */
type Recipe = (shop: Shop) => Promise<string>;

const customer: Recipe = async ({ client }) => (await client.customers.create({ name: 'tideline trigger' })).id;

const lateSubscription: Recipe = async (shop) => {
  const subscriptionId = await shop.subscribeAndPay();
  await shop.client.sandbox.advance({ subscriptionId, status: 'past_due' });
  return subscriptionId;
};

/** The events that need nobody but the merchant and a test wallet. */
const RECIPES = {
  'customer.created': customer,
  'customer.updated': async (shop) => {
    const id = await customer(shop);
    await shop.client.customers.update(id, { name: 'tideline trigger, updated' });
    return id;
  },
  'customer.deleted': async (shop) => {
    const id = await customer(shop);
    await shop.client.customers.delete(id);
    return id;
  },
  'subscription.created': (shop) => shop.subscribe(),
  'subscription.active': (shop) => shop.subscribeAndPay(),
  'subscription.canceled': async (shop) => {
    const id = await shop.subscribeAndPay();
    await shop.client.subscriptions.cancel(id);
    return id;
  },
  'subscription.trialing': (shop) => shop.subscribe('trial'),
  'subscription.at_risk': async (shop) => {
    const subscriptionId = await shop.subscribe('trial', 'empty');
    await shop.client.sandbox.advance({ subscriptionId, days: 8 });
    return subscriptionId;
  },
  'subscription.past_due': lateSubscription,
  'subscription.recovered': async (shop) => {
    const id = await lateSubscription(shop);
    await shop.client.subscriptions.retry(id);
    return id;
  },
  'subscription.quantity_changed': async (shop) => {
    const id = await shop.subscribeAndPay('per_unit');
    await shop.client.subscriptions.changeQuantity(id, { quantity: 2 });
    return id;
  },
  'subscription.usage_threshold': async (shop) => {
    const id = await shop.subscribe('metered');
    await shop.client.subscriptions.recordUsage(id, { records: [{ quantity: 1, idempotencyKey: id }] });
    return id;
  },
  'subscription.paused': async (shop) => {
    const id = await shop.subscribeAndPay();
    await shop.client.subscriptions.pause(id, {});
    return id;
  },
  'subscription.resumed': async (shop) => {
    const id = await shop.subscribeAndPay();
    await shop.client.subscriptions.pause(id, {});
    await shop.client.subscriptions.resume(id);
    return id;
  },
  'payment.pulled': (shop) => shop.subscribeAndPay(),
  'payment.refunded': async (shop) => {
    const subscriptionId = await shop.subscribeAndPay();
    return shop.refund(subscriptionId);
  },
  'payment.succeeded': (shop) => shop.subscribeAndPay(),
  'payment.failed': lateSubscription,
  'payment.canceled': async (shop) => {
    const id = await shop.awaitTransfer();
    await shop.client.payments.cancel(id);
    return id;
  },
  'wallet.updated': (shop) => shop.changePayoutWallet(),
} satisfies { readonly [Name in WebhookEvent['event']]?: Recipe };

export type TriggerableEvent = keyof typeof RECIPES;

/** In the order in which they are shown. */
export const TRIGGERABLE: readonly string[] = Object.keys(RECIPES);

/** Events that a merchant gets only with `extraEvents`. */
export const OPT_IN: readonly string[] = [
  'subscription.trialing',
  'subscription.at_risk',
  'subscription.past_due',
  'subscription.recovered',
  'subscription.quantity_changed',
  'subscription.usage_threshold',
  'subscription.paused',
  'subscription.resumed',
  'payment.pulled',
  'payment.refunded',
];

export function isTriggerable(event: string): event is TriggerableEvent {
  return Object.hasOwn(RECIPES, event);
}

export function recipeOf(event: TriggerableEvent): Recipe {
  return RECIPES[event];
}
