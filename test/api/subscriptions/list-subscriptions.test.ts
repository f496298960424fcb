import { idsOf } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

const merchant = await MerchantOverHttp.open();

describe('GET /subscriptions 200', () => {
  it('shows those that every filter matches; planId is not a filter', async () => {
    const [one, other] = [await merchant.subscribe(), await merchant.subscribe()];
    await merchant.settleCharge(other);
    const { customerId, offerId } = (await merchant.subscription(other)).attributes;
    const query = `status=active&customerId=${customerId}&offerId=${offerId}&limit=5&start=0`;
    const reply = await merchant.get(`/subscriptions?${query}`);
    expect(reply).toMatchObject({ status: 200, body: { limit: 5, start: 0, hasMore: false } });
    expect(idsOf(reply, 'subscriptions')).toEqual([other]);
    const pending = (more = '') => merchant.get(`/subscriptions?status=pending${more}`);
    expect(idsOf(await pending(), 'subscriptions')).toEqual([one]);
    expect(idsOf(await pending(`&customerId=${customerId}`), 'subscriptions')).toEqual([]);
    const all = await merchant.get('/subscriptions?planId=offer_1');
    expect(all.body).toMatchObject({ limit: 20, start: 0, hasMore: false });
    expect(idsOf(all, 'subscriptions').sort()).toEqual([one, other].sort());
    expect(all.headers.get('x-ignored-fields')).toBe('planId');
  });
});
