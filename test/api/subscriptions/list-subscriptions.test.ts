import { Desk } from '../../staff/support/desk.ts';
import { idsOf, type Reply } from '../../support/http.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await Desk.open();
});

function list(query: string): Promise<Reply> {
  return desk.http.call('GET', `/subscriptions${query}`, { key: desk.key });
}

describe('GET /subscriptions 200', () => {
  it('shows those that every filter matches; planId is not a filter', async () => {
    const [one, other] = [await desk.subscribe(), await desk.subscribe()];
    await desk.settles(other);
    const shown = await desk.http.call('GET', `/subscriptions/${other}`, { key: desk.key });
    const customerId = Reflect.get(Object(shown.body), 'customerId');
    const { attributes } = await desk.subscription(other);
    const reply = await list(
      `?status=active&customerId=${customerId}&offerId=${attributes['offerId']}&limit=5&start=0`,
    );
    expect(reply).toMatchObject({ status: 200, body: { limit: 5, start: 0, hasMore: false } });
    expect(idsOf(reply, 'subscriptions')).toEqual([other]);
    expect(idsOf(await list('?status=pending'), 'subscriptions')).toEqual([one]);
    expect(idsOf(await list(`?status=pending&customerId=${customerId}`), 'subscriptions')).toEqual([]);
    const all = await list('?planId=offer_1');
    expect(all.body).toMatchObject({ limit: 20, start: 0, hasMore: false });
    expect(idsOf(all, 'subscriptions').sort()).toEqual([one, other].sort());
    expect(all.headers.get('x-ignored-fields')).toBe('planId');
  });
});

describe('GET /subscriptions 400', () => {
  it('refuses an unknown status', async () => {
    const { status, body } = await list('?status=paused');
    expect(status).toBe(400);
    expect(body).toEqual({ error: 'status must be one of pending, active, past_due, canceled' });
  });
});
