import { type HttpHarness, startHttp } from '../../support/http.ts';
import { paymentRecord } from '../../support/services.ts';

let http: HttpHarness;
beforeAll(async () => {
  http = await startHttp();
});

describe('GET /payments/{paymentId} 200', () => {
  it('shows a cycle with its period, and no deposit', async () => {
    const { testKey: key } = await http.merchant();
    const record = paymentRecord({
      source: 'subscription',
      subscriptionId: 'sub_1',
      periodStart: new Date('2030-01-01T00:00:00Z'),
      periodEnd: new Date('2030-02-01T00:00:00Z'),
      status: 'pending',
      deposit: { address: 'x', expiresAt: new Date() },
    });
    http.scripted.payments.records = [record];
    const { status, body } = await http.call('GET', `/payments/${record.id}`, { key });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      source: 'subscription',
      periodStart: '2030-01-01T00:00:00.000Z',
      periodEnd: '2030-02-01T00:00:00.000Z',
    });
    expect(body).not.toHaveProperty('depositAddress');
  });
});
