import { type MerchantClient, signUp } from '../../stage/merchant-client.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
import { checkedFetch } from './published.ts';

/**
 * Makes a merchant as staff do; its requests and answers are checked against the published document. `serviceOf`
 * returns the process to call, which may change after a restart.
 */
export function createTestMerchant(serviceOf: () => ServiceProcess, dataDir: string): Promise<MerchantClient> {
  return signUp(() => serviceOf().url, dataDir, { fetch: checkedFetch });
}
