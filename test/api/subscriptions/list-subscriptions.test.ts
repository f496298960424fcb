import { idsOf } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

const merchant = await MerchantOverHttp.open();

describe('GET /subscriptions 200', () => {
  it('shows those that every filter matches; planId is not a filter', async () => {
    const [one, other] = [await merchant.subscribe(), await merchant.subscribe()];
    await merchant.settleCharge(other);
    const shown = await merchant.get(`/subscriptions/${other}`);
    const customerId = Reflect.get(Object(shown.body), 'customerId');
    const { attributes } = await merchant.subscription(other);
    const reply = await merchant.get(
      `/subscriptions?status=active&customerId=${customerId}&offerId=${attributes['offerId']}&limit=5&start=0`,
    );
    expect(reply).toMatchObject({ status: 200, body: { limit: 5, start: 0, hasMore: false } });
    expect(idsOf(reply, 'subscriptions')).toEqual([other]);
    expect(idsOf(await merchant.get('/subscriptions?status=pending'), 'subscriptions')).toEqual([one]);
    expect(
      idsOf(await merchant.get(`/subscriptions?status=pending&customerId=${customerId}`), 'subscriptions'),
    ).toEqual([]);
    const all = await merchant.get('/subscriptions?planId=offer_1');
    expect(all.body).toMatchObject({ limit: 20, start: 0, hasMore: false });
    expect(idsOf(all, 'subscriptions').sort()).toEqual([one, other].sort());
    expect(all.headers.get('x-ignored-fields')).toBe('planId');
  });
});
