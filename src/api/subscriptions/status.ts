import type { z } from 'zod';
import { lastPayment } from '../../billing/subscriptions/subscriptions.ts';
import type { HttpDeps } from '../../http/deps.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { type subscriptionStatusSchema, subscriptionStatusView } from '../views/subscription.ts';

/** The status view of a subscription, with its present last invoice. */
export async function statusOf(deps: HttpDeps, doc: ActorDoc): Promise<z.output<typeof subscriptionStatusSchema>> {
  return subscriptionStatusView(doc, await lastPayment(deps, doc), deps);
}
