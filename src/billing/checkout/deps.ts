import type { AllowanceWatcher } from '../allowances/allowance-watcher.ts';
import type { Customers } from '../customers/customers.ts';
import type { DepositWatcher } from '../deposits/deposit-watcher.ts';
import type { BillingDeps } from '../deps.ts';
import type { Authorizations } from '../subscriptions/authorizations.ts';

/** The dependencies of the checkout. */
export interface CheckoutDeps extends BillingDeps {
  readonly watcher: Pick<AllowanceWatcher, 'check'>;
  readonly deposits: Pick<DepositWatcher, 'check'>;
  readonly authorizations: Authorizations;
  readonly customers: Customers;
}
