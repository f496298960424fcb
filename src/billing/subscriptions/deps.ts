import type { AllowanceLooker } from '../allowances/looker.ts';
import type { Authorizations } from '../authorizations.ts';
import type { BillingDeps } from '../deps.ts';

/** What commands to subscriptions stand on. */
export interface SubscriptionsDeps extends BillingDeps {
  readonly looker: Pick<AllowanceLooker, 'survey' | 'tell'>;
  readonly authorizations: Authorizations;
}
