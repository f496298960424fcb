import { Desk } from '../../staff/support/desk.ts';
import { paymentBody } from '../../support/bodies.ts';
import { type HttpHarness, idOf, type Reply, startHttp } from '../../support/http.ts';
import { answerAtDeadline } from '../../support/in-process.ts';
import { paymentRecord } from '../../support/services.ts';

let http: HttpHarness;
let testKey: string;
beforeAll(async () => {
  http = await startHttp();
});
beforeEach(async () => {
  ({ testKey } = await http.merchant());
  http.scripted.payments.asked.length = 0;
  http.scripted.payments.records = [paymentRecord({ status: 'canceled', pullTxHash: null })];
});

const ID = paymentRecord().id;

function cancel(): Promise<Reply> {
  return http.call('POST', `/payments/${ID}/cancel`, { key: testKey });
}

describe('POST /payments/{paymentId}/cancel 200', () => {
  it('shows the canceled payment', async () => {
    const reply = await cancel();
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ id: ID, status: 'canceled', pullTxHash: null });
    expect(http.scripted.payments.asked).toMatchObject([{ input: ID }]);
  });

  it('never shows a deposit', async () => {
    const deposit = { address: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC', expiresAt: new Date() };
    http.scripted.payments.records = [paymentRecord({ status: 'canceled', paymentMethod: 'wallet_transfer', deposit })];
    const { body } = await cancel();
    expect(Object.keys(Object(body))).not.toContain('depositAddress');
  });
});

describe('POST /payments/{paymentId}/cancel 409', () => {
  it('refuses to cancel a canceled payment', async () => {
    const desk = await Desk.open();
    const id = idOf(await answerAtDeadline(desk.http, desk.post('/payments', paymentBody())));
    expect(await desk.post(`/payments/${id}/cancel`)).toMatchObject({ status: 200, body: { status: 'canceled' } });
    const { status, body } = await desk.post(`/payments/${id}/cancel`);
    expect([status, body]).toEqual([
      409,
      { error: 'Payment is canceled; cancel needs pending with no charge started' },
    ]);
  });

  it('refuses to cancel the payment of a subscription cycle', async () => {
    const desk = await Desk.open();
    const subscriptionId = await desk.subscribe();
    const { status, body } = await desk.post(`/payments/${await desk.falls(subscriptionId)}/cancel`);
    expect([status, body]).toEqual([
      409,
      { error: `Payment is a cycle of ${subscriptionId} and cannot be canceled alone; cancel the subscription` },
    ]);
  });
});
