import { expectError } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

const merchant = await MerchantOverHttp.open();

describe('DELETE /subscriptions/{subscriptionId} 200', () => {
  it('cancels now, ignores atPeriodEnd, and names it', async () => {
    const id = await merchant.subscribeAndPay();
    const reply = await merchant.delete(`/subscriptions/${id}`, { atPeriodEnd: true });
    expect([reply.status, reply.headers.get('x-ignored-fields')]).toEqual([200, 'atPeriodEnd']);
    expect(reply.body).toMatchObject({ id, status: 'canceled', cancelAt: null });
  });
});

describe('DELETE /subscriptions/{subscriptionId} 409', () => {
  it('refuses to delete a canceled subscription', async () => {
    const path = `/subscriptions/${await merchant.subscribe()}`;
    expect(await merchant.delete(path)).toMatchObject({ status: 200, body: { status: 'canceled' } });
    expectError(await merchant.delete(path), 409, 'Subscription is canceled; cancel needs pending, active or past_due');
  });
});
