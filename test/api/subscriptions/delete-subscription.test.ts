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

function remove(body?: unknown): Promise<Reply> {
  return http.call('DELETE', `/subscriptions/${ID}`, { key: testKey, ...(body === undefined ? {} : { body }) });
}

describe('DELETE /subscriptions/{subscriptionId} 200', () => {
  it('cancels now, and shows the subscription', async () => {
    const reply = await remove();
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ id: ID, status: 'canceled' });
    expect(http.scripted.subscriptions.asked).toMatchObject([{ input: { id: ID, atPeriodEnd: false, by: 'api' } }]);
  });

  it('ignores atPeriodEnd, and names it', async () => {
    const reply = await remove({ atPeriodEnd: true });
    expect([reply.status, reply.headers.get('x-ignored-fields')]).toEqual([200, 'atPeriodEnd']);
    expect(http.scripted.subscriptions.asked).toMatchObject([{ input: { atPeriodEnd: false } }]);
  });
});

describe('DELETE /subscriptions/{subscriptionId} 409', () => {
  it('refuses to delete a canceled subscription', async () => {
    const desk = await Desk.open();
    const path = `/subscriptions/${await desk.subscribe()}`;
    const removeReal = () => desk.http.call('DELETE', path, { key: desk.key });
    expect(await removeReal()).toMatchObject({ status: 200, body: { status: 'canceled' } });
    const { status, body } = await removeReal();
    expect([status, body]).toEqual([
      409,
      { error: 'Subscription is canceled; cancel needs pending, active or past_due' },
    ]);
  });
});
