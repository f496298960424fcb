import { Desk } from '../../staff/support/desk.ts';
import type { Reply } from '../../support/http.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await Desk.open();
});

function remove(id: string, body?: unknown): Promise<Reply> {
  return desk.http.call('DELETE', `/subscriptions/${id}`, { key: desk.key, ...(body === undefined ? {} : { body }) });
}

describe('DELETE /subscriptions/{subscriptionId} 200', () => {
  it('cancels now, ignores atPeriodEnd, and names it', async () => {
    const id = await desk.subscribe();
    await desk.settles(id);
    const reply = await remove(id, { atPeriodEnd: true });
    expect([reply.status, reply.headers.get('x-ignored-fields')]).toEqual([200, 'atPeriodEnd']);
    expect(reply.body).toMatchObject({ id, status: 'canceled', cancelAt: null });
  });
});

describe('DELETE /subscriptions/{subscriptionId} 409', () => {
  it('refuses to delete a canceled subscription', async () => {
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
