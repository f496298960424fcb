import { type HttpHarness, idsOf, type Reply, startHttp } from '../../support/http.ts';
import { subscriptionRecord } from '../../support/services.ts';

let http: HttpHarness;
let testKey: string;
beforeAll(async () => {
  http = await startHttp();
});
beforeEach(async () => {
  ({ testKey } = await http.merchant());
  http.scripted.subscriptions.asked.length = 0;
});

function list(query: string): Promise<Reply> {
  return http.call('GET', `/subscriptions${query}`, { key: testKey });
}

describe('GET /subscriptions 200', () => {
  it('passes every filter on and shows the found subscriptions', async () => {
    http.scripted.subscriptions.records = [subscriptionRecord({ status: 'past_due' })];
    const reply = await list('?status=past_due&customerId=cust_1&offerId=offer_1&limit=5&start=10');
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ limit: 5, start: 10, subscriptions: [{ status: 'past_due' }] });
    expect(idsOf(reply, 'subscriptions')).toHaveLength(1);
    expect(http.scripted.subscriptions.asked).toMatchObject([
      { input: { status: 'past_due', customerId: 'cust_1', offerId: 'offer_1', limit: 5, start: 10 } },
    ]);
  });

  it('has no filter by default; planId is not a filter', async () => {
    http.scripted.subscriptions.records = [];
    const { headers, body } = await list('?planId=offer_1');
    expect(body).toEqual({ subscriptions: [], limit: 20, start: 0, hasMore: false });
    expect(headers.get('x-ignored-fields')).toBe('planId');
    expect(http.scripted.subscriptions.asked).toMatchObject([
      { input: { status: null, customerId: null, offerId: null, limit: 20, start: 0, startingAfter: null } },
    ]);
  });
});

describe('GET /subscriptions 400', () => {
  it('refuses an unknown status', async () => {
    const { status, body } = await list('?status=paused');
    expect(status).toBe(400);
    expect(body).toEqual({ error: 'status must be one of pending, active, past_due, canceled' });
  });
});
