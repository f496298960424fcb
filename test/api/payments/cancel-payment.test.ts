import { BOB, paymentBody } from '../../support/bodies.ts';
import { answerAtDeadline, expectError, idOf, type Reply } from '../../support/http.ts';
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

describe('POST /payments/{paymentId}/cancel 200', () => {
  it('shows the canceled payment, needs no body, and names unknown fields', async () => {
    const id = await waiting();
    const reply = await cancel(id, { why: 'x' });
    expect([reply.status, reply.headers.get('x-ignored-fields')]).toEqual([200, 'why']);
    expect(reply.body).toMatchObject({ id, status: 'canceled', pullTxHash: null });
    expect(await cancel(await waiting())).toMatchObject({ status: 200, body: { status: 'canceled' } });
  });

  it('never shows a deposit', async () => {
    const id = await waiting({ paymentMethod: 'wallet_transfer', fromWallet: undefined, refundWallet: BOB });
    const { status, body } = await cancel(id);
    expect([status, Object.keys(Object(body)).filter((name) => name.startsWith('deposit'))]).toEqual([200, []]);
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
