import { cyclePaymentId } from '../../../src/model/payment.ts';
import { answerAtDeadline, expectError } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

describe('POST /sandbox/charge 200', () => {
  it('omits the reason of an attempt that was made, and the payment of one that was skipped', async () => {
    const merchant = await MerchantOverHttp.open();
    const subscriptionId = await merchant.subscribe();
    const { status, body } = await answerAtDeadline(
      merchant.http,
      merchant.post('/sandbox/charge', { subscriptionId }),
    );
    expect([status, body]).toEqual([200, { outcome: 'pending', paymentId: cyclePaymentId(subscriptionId, 1) }]);
    expect((await merchant.post('/sandbox/charge', { subscriptionId })).body).toEqual({
      outcome: 'skipped',
      reason: 'in_flight',
    });
  });
});

describe('POST /sandbox/charge 409', () => {
  it('refuses to charge a canceled subscription', async () => {
    const merchant = await MerchantOverHttp.open();
    const subscriptionId = await merchant.subscribe();
    expect((await merchant.post(`/subscriptions/${subscriptionId}/cancel`)).status).toBe(200);
    const reply = await merchant.post('/sandbox/charge', { subscriptionId });
    expectError(reply, 409, 'Subscription is canceled; charge needs pending, active or past_due');
  });
});
