import type { AllowanceWatcher } from '../allowances/allowance-watcher.ts';
import type { DepositWatcher } from '../deposits/deposit-watcher.ts';
import type { BillingDeps } from '../deps.ts';
import type { ReceiptLinks } from '../receipts/links.ts';
import type { ResourceDeps } from '../resources/resource.ts';

export interface CheckoutDeps extends BillingDeps, ResourceDeps {
  readonly watcher: Pick<AllowanceWatcher, 'check'>;
  readonly deposits: Pick<DepositWatcher, 'check'>;
  readonly receipts: ReceiptLinks;
}
