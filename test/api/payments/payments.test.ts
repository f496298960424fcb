import { BOB, paymentBody } from '../../support/bodies.ts';
import { answerAtDeadline, expectError, idOf, idsOf, type Reply } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

let made = 0;
const merchant = await MerchantOverHttp.open();

/** A payment whose charge waits. */
async function waiting(change: object = {}): Promise<string> {
  made += 1;
  const body = paymentBody({ idempotencyKey: `order-${made}`, ...change });
  return idOf(await answerAtDeadline(merchant.http, merchant.post('/payments', body)));
}

function cancel(id: string, body?: unknown): Promise<Reply> {
  return merchant.call('POST', `/payments/${id}/cancel`, body);
}

describe('GET /payments 200', () => {
  it('shows those that every filter matches, without a deposit', async () => {
    const merchant = await MerchantOverHttp.open();
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

describe('GET /payments/{paymentId} 200', () => {
  it('shows a cycle with its period', async () => {
    const subscriptionId = await merchant.subscribe();
    const id = await merchant.beginCharge(subscriptionId);
    expect(await merchant.get(`/payments/${id}`)).toMatchObject({
      status: 200,
      body: {
        id,
        source: 'subscription',
        subscriptionId,
        periodStart: '2030-01-15T10:00:00.000Z',
        periodEnd: '2030-02-15T10:00:00.000Z',
        status: 'pending',
        attempts: 1,
      },
    });
  });
});

describe('POST /payments/{paymentId}/cancel 200', () => {
  it('shows the canceled payment, needs no body, and names unknown fields', async () => {
    const id = await waiting();
    const reply = await cancel(id, { why: 'x' });
    expect([reply.status, reply.headers.get('x-ignored-fields')]).toEqual([200, 'why']);
    expect(reply.body).toMatchObject({ id, status: 'canceled', pullTxHash: null });
    expect(await cancel(await waiting())).toMatchObject({ status: 200, body: { status: 'canceled' } });
  });
});

describe('POST /payments/{paymentId}/cancel 409', () => {
  it('refuses to cancel a canceled payment', async () => {
    const id = await waiting();
    expect(await merchant.post(`/payments/${id}/cancel`)).toMatchObject({ status: 200, body: { status: 'canceled' } });
    const reply = await merchant.post(`/payments/${id}/cancel`);
    expectError(reply, 409, 'Payment is canceled; cancel needs pending with no charge started');
  });

  it('refuses to cancel the payment of a subscription cycle', async () => {
    const subscriptionId = await merchant.subscribe();
    const reply = await merchant.post(`/payments/${await merchant.beginCharge(subscriptionId)}/cancel`);
    expectError(
      reply,
      409,
      `Payment is a cycle of ${subscriptionId} and cannot be canceled alone; cancel the subscription`,
    );
  });
});
