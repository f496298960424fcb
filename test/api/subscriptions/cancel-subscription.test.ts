import { Desk } from '../../staff/support/desk.ts';
import { type HttpHarness, type Reply, startHttp } from '../../support/http.ts';
import { subscriptionRecord } from '../../support/services.ts';

let http: HttpHarness;
let testKey: string;
beforeAll(async () => {
  http = await startHttp();
});
beforeEach(async () => {
  ({ testKey } = await http.merchant());
  http.scripted.subscriptions.asked.length = 0;
  http.scripted.subscriptions.records = [subscriptionRecord({ status: 'canceled' })];
});

const ID = subscriptionRecord().id;

function cancel(body?: unknown): Promise<Reply> {
  return http.call('POST', `/subscriptions/${ID}/cancel`, { key: testKey, ...(body === undefined ? {} : { body }) });
}

describe('POST /subscriptions/{subscriptionId}/cancel 200', () => {
  it.each([
    ['no body', undefined, false],
    ['an empty one', {}, false],
    ['atPeriodEnd', { atPeriodEnd: true }, true],
    ['atPeriodEnd null', { atPeriodEnd: null }, false],
  ])('accepts %s', async (_what, body, atPeriodEnd) => {
    const reply = await cancel(body);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ id: ID, status: 'canceled' });
    expect(http.scripted.subscriptions.asked).toMatchObject([{ input: { id: ID, atPeriodEnd, by: 'api' } }]);
  });
});

describe('POST /subscriptions/{subscriptionId}/cancel 409', () => {
  const refused = {
    status: 409,
    body: { error: 'Subscription is canceled; cancel needs pending, active or past_due' },
  };

  it('refuses to cancel a canceled subscription', async () => {
    const desk = await Desk.open();
    const path = `/subscriptions/${await desk.subscribe()}/cancel`;
    expect(await desk.post(path)).toMatchObject({ status: 200, body: { status: 'canceled' } });
    expect(await desk.post(path)).toMatchObject(refused);
  });

  it('cancels once when two requests arrive at the same time', async () => {
    const desk = await Desk.open();
    const path = `/subscriptions/${await desk.subscribe()}/cancel`;
    const replies = await Promise.all([desk.post(path), desk.post(path)]);
    replies.sort((a, b) => a.status - b.status);
    expect(replies).toMatchObject([{ status: 200, body: { status: 'canceled' } }, refused]);
  });
});
