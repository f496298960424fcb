import type { DevnetFacts } from '../../scripts/lib/devnet-facts.ts';
import { type MerchantClient, signUp } from '../../stage/merchant-client.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
import { openShop } from '../../stage/sale.ts';
import { checkSuccess, publishedAt } from './published.ts';

/**
 * Makes a merchant as staff do; its requests and answers are checked against the published document. `serviceOf`
 * returns the process to call, which may change after a restart.
 */
export async function createTestMerchant(serviceOf: () => ServiceProcess, dataDir: string): Promise<MerchantClient> {
  const merchant = await signUp(() => serviceOf().url, dataDir);
  return {
    ...merchant,
    call: async (method, path, body, signal) => {
      const answer = await merchant.call(method, path, body, signal);
      checkSuccess(publishedAt(), { method, path, body }, answer);
      return answer;
    },
  };
}

/**
 * Makes a payout wallet, a monthly offer of 10.00 and a customer who has approved. Only the subscription is missing.
 */
export async function prepareOrder(
  merchant: MerchantClient,
  facts: DevnetFacts,
): Promise<{ readonly priceId: string; readonly customerId: string }> {
  const { priceId, payers } = await openShop(merchant, facts);
  const [payer] = payers;
  if (!payer) throw new Error('nobody can pay');
  return { priceId, customerId: payer.customerId };
}
