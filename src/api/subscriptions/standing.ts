import type { z } from 'zod';
import type { SubscriptionRecord, Subscriptions } from '../../billing/services.ts';
import type { Tenant } from '../../store/documents.ts';
import { type subscriptionStatusSchema, subscriptionStatusView } from '../views/subscription.ts';

/** The status view of a subscription, with its present last invoice. */
export async function standingOf(
  subscriptions: Subscriptions,
  tenant: Tenant,
  subscription: SubscriptionRecord,
): Promise<z.output<typeof subscriptionStatusSchema>> {
  return subscriptionStatusView(subscription, await subscriptions.lastPayment(tenant, subscription.id));
}
