import { type HttpHarness, type Reply, startHttp } from '../../support/http.ts';
import { paymentRecord } from '../../support/services.ts';

let http: HttpHarness;
let testKey: string;
beforeAll(async () => {
  http = await startHttp();
});
beforeEach(async () => {
  ({ testKey } = await http.merchant());
  http.scripted.payments.asked.length = 0;
});

function list(query: string): Promise<Reply> {
  return http.call('GET', `/payments${query}`, { key: testKey });
}

describe('GET /payments 200', () => {
  it('passes every filter on and shows the found payments', async () => {
    http.scripted.payments.records = [paymentRecord()];
    const query = '?status=settled&source=one_time&customerId=c&subscriptionId=s&offerId=o&limit=7&start=3';
    const { status, body } = await list(query);
    expect(status).toBe(200);
    expect(body).toMatchObject({ payments: [{ id: paymentRecord().id, amount: '10.00' }], limit: 7, start: 3 });
    expect(http.scripted.payments.asked).toMatchObject([
      {
        input: {
          status: 'settled',
          source: 'one_time',
          customerId: 'c',
          subscriptionId: 's',
          offerId: 'o',
          limit: 7,
          start: 3,
        },
      },
    ]);
  });

  it('never shows a deposit address', async () => {
    const deposit = { address: 'x', expiresAt: new Date() };
    http.scripted.payments.records = [paymentRecord({ status: 'pending', deposit })];
    const { body } = await list('');
    expect(JSON.stringify(body)).not.toContain('deposit');
  });
});

describe('GET /payments 400', () => {
  it.each([
    ['?status=done', 'status must be one of pending, pulled, settled, failed, canceled'],
    ['?source=all', 'source must be one of one_time, subscription'],
  ])('refuses %s', async (query, message) => {
    const { status, body } = await list(query);
    expect([status, body]).toEqual([400, { error: message }]);
  });
});
