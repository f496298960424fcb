import type { AllowanceWatcher } from '../allowances/allowance-watcher.ts';
import type { BillingDeps } from '../deps.ts';
import type { Authorizations } from './authorizations.ts';

/** The dependencies of commands to subscriptions. */
export interface SubscriptionsDeps extends BillingDeps {
  readonly watcher: Pick<AllowanceWatcher, 'survey' | 'notify'>;
  readonly authorizations: Authorizations;
}
