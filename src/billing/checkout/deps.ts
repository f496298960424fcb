import type { AllowanceLooker } from '../allowances/looker.ts';
import type { Authorizations } from '../authorizations.ts';
import type { Customers } from '../customers/customers.ts';
import type { DepositLooker } from '../deposits/looker.ts';
import type { BillingDeps } from '../deps.ts';

/** What the checkout stands on. */
export interface CheckoutDeps extends BillingDeps {
  readonly looker: Pick<AllowanceLooker, 'look'>;
  readonly deposits: Pick<DepositLooker, 'look'>;
  readonly authorizations: Authorizations;
  readonly customers: Customers;
}
