import { cancelSubscription } from '../../src/billing/subscriptions/subscriptions.ts';
import { Sandboxed } from './support/sandboxed.ts';

it('reports that a started charge has settled, although the merchant has canceled meanwhile', async () => {
  const sandboxed = await Sandboxed.open();
  const { merchant, tenant, id, charges } = sandboxed;
  const answer = sandboxed.charge();
  const { paymentId } = await charges.waiting();
  await charges.start(paymentId);
  await cancelSubscription(merchant.billing.deps, tenant, id, { atPeriodEnd: false }, 'api');
  await charges.settle(paymentId);
  expect(await answer).toEqual({ outcome: 'settled', paymentId, reason: null });
});
