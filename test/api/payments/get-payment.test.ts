import { BOB, paymentBody } from '../../support/bodies.ts';
import { idOf } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

const merchant = await MerchantOverHttp.open();

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

  it('shows no deposit of a transfer', async () => {
    const body = paymentBody({ paymentMethod: 'wallet_transfer', fromWallet: undefined, refundWallet: BOB });
    const made = await merchant.post('/payments', body);
    expect(made.body).toHaveProperty('depositAddress');
    const { status, body: shown } = await merchant.get(`/payments/${idOf(made)}`);
    expect(status).toBe(200);
    expect(JSON.stringify(shown)).not.toContain('deposit');
  });
});
