import type { Tenant } from '../../store/documents.ts';
import { tenantStore } from '../../store/tenant.ts';
import type { BillingDeps } from '../deps.ts';
import { type BudgetHolder, spend } from '../resources/budgets.ts';

/**
 * Takes a payment from or to a wallet that no payment of this merchant and mode has used before from the merchant's
 * budget. Throws 429. A payment to a deposit address always counts: nobody knows its payer.
 */
export async function spendNewWallets(
  deps: Pick<BillingDeps, 'store' | 'clock'>,
  tenant: Tenant,
  merchant: BudgetHolder,
  { fromWallet, toWallet }: { readonly fromWallet: string | null; readonly toWallet: string },
): Promise<void> {
  const { findActors } = tenantStore(deps.store, tenant);
  const isUsed = async (path: string, wallet: string) =>
    (await findActors('payment', { where: { [path]: wallet }, limit: 1 })).length > 0;
  const isFromUsed = fromWallet !== null && (await isUsed('context.fromWallet', fromWallet));
  if (isFromUsed && (await isUsed('context.toWallet', toWallet))) return;
  await spend(deps, merchant, { mode: tenant.mode, budget: 'newWalletsPerDay' });
}
