import { Desk } from '../../staff/support/desk.ts';
import type { Reply } from '../../support/http.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await Desk.open();
});

function cancel(id: string, body?: unknown): Promise<Reply> {
  return desk.http.call('POST', `/subscriptions/${id}/cancel`, {
    key: desk.key,
    ...(body === undefined ? {} : { body }),
  });
}

describe('POST /subscriptions/{subscriptionId}/cancel 200', () => {
  it.each([
    ['no body', undefined],
    ['an empty one', {}],
    ['atPeriodEnd null', { atPeriodEnd: null }],
  ])('cancels now with %s', async (_what, body) => {
    const id = await desk.subscribe();
    await desk.settles(id);
    expect(await cancel(id, body)).toMatchObject({ status: 200, body: { id, status: 'canceled', cancelAt: null } });
  });

  it('cancels at the end of the period with atPeriodEnd', async () => {
    const id = await desk.subscribe();
    await desk.settles(id);
    const { status, body } = await cancel(id, { atPeriodEnd: true });
    expect([status, body]).toEqual([200, expect.objectContaining({ id, status: 'active' })]);
    expect(Reflect.get(Object(body), 'cancelAt')).toBe(Reflect.get(Object(body), 'currentPeriodEnd'));
  });
});

describe('POST /subscriptions/{subscriptionId}/cancel 409', () => {
  const refused = {
    status: 409,
    body: { error: 'Subscription is canceled; cancel needs pending, active or past_due' },
  };

  it('refuses to cancel a canceled subscription', async () => {
    const path = `/subscriptions/${await desk.subscribe()}/cancel`;
    expect(await desk.post(path)).toMatchObject({ status: 200, body: { status: 'canceled' } });
    expect(await desk.post(path)).toMatchObject(refused);
  });

  it('cancels once when two requests arrive at the same time', async () => {
    const path = `/subscriptions/${await desk.subscribe()}/cancel`;
    const replies = await Promise.all([desk.post(path), desk.post(path)]);
    replies.sort((a, b) => a.status - b.status);
    expect(replies).toMatchObject([{ status: 200, body: { status: 'canceled' } }, refused]);
  });
});
