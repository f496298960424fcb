import { scriptedChain } from '../../../stage/scripted-chain.ts';
import { ALICE } from '../../support/bodies.ts';
import type { HttpHarness } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

/**
 * A cycle whose first charge is on its way, and a share that cannot be delivered. `subscribed` runs before anything is
 * charged.
 */
export async function pausedCycle(http: HttpHarness, subscribed = () => {}) {
  const merchant = await MerchantOverHttp.signUp(http, scriptedChain());
  await merchant.setPayoutWallet(ALICE);
  const id = await merchant.subscribe();
  subscribed();
  await merchant.send(id, { type: 'allowance.seen', covers: true, payable: true });
  const paymentId = await merchant.beginCharge(id);
  await merchant.send(paymentId, { type: 'charge.undeliverable', attempt: 1, round: 0, reason: 'forward_reverted' });
  return { merchantId: merchant.id, paymentId };
}
