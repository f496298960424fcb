import { BOB, paymentBody } from '../../support/bodies.ts';
import { expectError, idOf, idsOf } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

const merchant = await MerchantOverHttp.open();

describe('GET /payments 200', () => {
  it('shows those that every filter matches, without a deposit', async () => {
    const transfer = paymentBody({ paymentMethod: 'wallet_transfer', fromWallet: undefined, refundWallet: BOB });
    const oneOff = idOf(await merchant.post('/payments', transfer));
    const subscriptionId = await merchant.subscribeAndPay();
    const cycles = await merchant.get(`/payments?subscriptionId=${subscriptionId}`);
    const [cycle = ''] = idsOf(cycles, 'payments');
    const [{ customerId, offerId }] = Reflect.get(Object(cycles.body), 'payments');
    const all = `status=settled&source=subscription&customerId=${customerId}&subscriptionId=${subscriptionId}`;
    const { status, body } = await merchant.get(`/payments?${all}&offerId=${offerId}&limit=7&start=0`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ payments: [{ id: cycle, amount: '9.90' }], limit: 7, start: 0, hasMore: false });
    const found = async (query: string) => idsOf(await merchant.get(`/payments${query}`), 'payments');
    expect(await found('?source=one_time')).toEqual([oneOff]);
    expect(await found('?status=pending')).toEqual([oneOff]);
    expect(await found(`?source=one_time&offerId=${offerId}`)).toEqual([]);
    expect((await found('')).sort()).toEqual([oneOff, cycle].sort());
    expect(JSON.stringify((await merchant.get('/payments')).body)).not.toContain('deposit');
  });
});

describe('GET /payments 400', () => {
  it.each([
    ['?status=done', 'status must be one of pending, pulled, settled, failed, canceled'],
    ['?source=all', 'source must be one of one_time, subscription'],
  ])('refuses %s', async (query, message) => {
    expectError(await merchant.get(`/payments${query}`), 400, message);
  });
});
