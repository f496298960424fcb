import { type MerchantClient, signUp } from '../../stage/merchant-client.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
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
