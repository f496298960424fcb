import { Desk } from '../../staff/support/desk.ts';
import { BOB, paymentBody } from '../../support/bodies.ts';
import { idOf } from '../../support/http.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await Desk.open();
});

function get(id: string) {
  return desk.http.call('GET', `/payments/${id}`, { key: desk.key });
}

describe('GET /payments/{paymentId} 200', () => {
  it('shows a cycle with its period', async () => {
    const subscriptionId = await desk.subscribe();
    const id = await desk.falls(subscriptionId);
    expect(await get(id)).toMatchObject({
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
    const made = await desk.post('/payments', body);
    expect(made.body).toHaveProperty('depositAddress');
    const { status, body: shown } = await get(idOf(made));
    expect(status).toBe(200);
    expect(JSON.stringify(shown)).not.toContain('deposit');
  });
});
