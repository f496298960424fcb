import type { DevnetFacts } from '../../scripts/crashtest/devnet-facts.ts';
import { type MerchantClient, signUp } from '../../scripts/crashtest/merchant.ts';
import { openShop } from '../../scripts/crashtest/shop.ts';
import type { ServiceProcess } from './service.ts';

export { devnetFacts, walletNamed } from '../../scripts/crashtest/devnet-facts.ts';

/** Makes a merchant as staff does. `serviceOf` names the process to call: it may be another one after a restart. */
export function createTestMerchant(serviceOf: () => ServiceProcess, dataDir: string): Promise<MerchantClient> {
  return signUp(() => serviceOf().url, dataDir);
}

/** A payout wallet, a monthly offer of 10.00 and a customer who has approved: what is left is the subscription. */
export async function prepareOrder(
  merchant: MerchantClient,
  facts: DevnetFacts,
): Promise<{ readonly priceId: string; readonly customerId: string }> {
  const { priceId, payers } = await openShop(merchant, facts);
  const [payer] = payers;
  if (!payer) throw new Error('nobody can pay');
  return { priceId, customerId: payer.customerId };
}
