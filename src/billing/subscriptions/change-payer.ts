import { conflict } from '../../errors/fault.ts';
import { isLive } from '../../model/subscription.ts';
import type { Tenant } from '../../store/documents.ts';
import { issueAuthorization, NEW_PAYER_DAYS } from './authorizations.ts';
import type { SubscriptionsDeps } from './deps.ts';
import { requireSubscription } from './subscriptions.ts';

/**
 * The merchant confirms that another wallet may pay: makes a link at which one may sign within a day, and returns its
 * token. Nothing changes until one has. Throws 404 for an unknown subscription and 409 for a canceled one.
 */
export async function changePayer(deps: SubscriptionsDeps, tenant: Tenant, id: string): Promise<string> {
  const doc = await requireSubscription(deps, tenant, id);
  if (!isLive(doc)) throw conflict(`Subscription is ${doc.status}; change-payer needs pending, active or past_due`);
  return issueAuthorization(deps, doc, { kind: 'subscription' }, NEW_PAYER_DAYS);
}
