import type { EventOf } from '../../../machines/versions.ts';
import { setAccount } from '../../../src/billing/administration/account.ts';
import type { InProcessService } from '../../../stage/in-process-service.ts';
import { ALICE, monthly, offerBody } from '../../support/bodies.ts';
import { type HttpHarness, idOf, priceIdOf } from '../../support/http.ts';

/**
 * A cycle whose first charge is on its way, and a share that cannot be delivered. `subscribed` runs before anything is
 * charged.
 */
export async function pausedCycle(http: HttpHarness, billing: InProcessService, subscribed = () => {}) {
  const { merchant, testKey: key } = await http.merchant();
  // No platform wallet is configured here.
  await setAccount(http.deps, merchant._id, { feeBps: 0 }, { by: 'staff', reason: 'a test' });
  const call = async (path: string, body: object) => idOf(await http.call('POST', path, { key, body }));
  const send = async (id: string, event: EventOf<'subscription'>) => {
    await billing.engine.dispatch({ kind: 'subscription', id, event, by: 'test' });
    await billing.quiet();
  };
  await call('/wallets', { tokenKey: 'usdc-local-evm', receiverWallet: ALICE });
  const customerId = await call('/customers', { wallets: [{ chainFamily: 'evm', address: ALICE }] });
  const offer = await http.call('POST', '/offers', { key, body: offerBody({ pricing: [monthly()] }) });
  const priceId = priceIdOf(offer);
  const id = await call('/subscriptions', { customerId, priceId });
  subscribed();
  await send(id, { type: 'allowance.seen', covers: true, payable: true });
  await send(id, { type: 'cycle.due', asked: false, charge: { ready: true } });
  const [payment] = await http.store.actors.find('payment', { where: { merchantId: merchant._id }, limit: 2 });
  if (payment === undefined) throw new Error('no payment was opened');
  const event = { type: 'charge.undeliverable', attempt: 1, round: 0, reason: 'forward_reverted' } as const;
  await billing.engine.dispatch({ kind: 'payment', id: payment._id, event, by: 'test' });
  await billing.quiet();
  return { merchantId: merchant._id, subscriptionId: id, paymentId: payment._id };
}
