import type { AllowanceWatcher } from '../allowances/allowance-watcher.ts';
import type { BillingDeps } from '../deps.ts';

/** The dependencies of commands to subscriptions. */
export interface SubscriptionsDeps extends BillingDeps {
  readonly watcher: Pick<AllowanceWatcher, 'survey' | 'notify'>;
}
