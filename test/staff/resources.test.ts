import { monthly, offerBody } from '../support/bodies.ts';
import { idOf, idsOf, priceIdOf } from '../support/http.ts';
import { Desk } from './support/desk.ts';
import { NOBODY } from './support/staff.ts';

/** The customers, offers and subscriptions of a merchant, as staff read them. */
let desk: Desk;
let subscriptionId: string;
let customerId: string;
let offerId: string;
beforeAll(async () => {
  desk = await Desk.open();
  subscriptionId = await desk.subscribe({ name: 'Mia', email: 'mia@example.com', merchantReferenceId: 'user-17' });
  const { attributes } = await desk.subscription(subscriptionId);
  customerId = String(attributes['customerId']);
  offerId = String(attributes['offerId']);
});

const own = (list: string, query = '') => `/merchants/${desk.merchantId}/${list}?mode=test${query}`;

describe('the lists of a merchant', () => {
  it('show its resources of the asked environment, the newest first, page by page', async () => {
    desk.http.now = new Date(desk.http.now.getTime() + 1_000);
    const newer = await desk.subscribe({ name: 'Noa' });
    expect(idsOf(await desk.get(own('subscriptions')), 'subscriptions')).toEqual([newer, subscriptionId]);
    for (const list of ['customers', 'offers', 'subscriptions']) {
      const first = await desk.get(own(list, '&limit=1'));
      expect([first.status, first.body]).toEqual([200, expect.objectContaining({ limit: 1, hasMore: true })]);
      const [last = ''] = idsOf(first, list);
      const second = await desk.get(own(list, `&limit=1&startingAfter=${last}`));
      expect(second.body).toMatchObject({ hasMore: false });
      expect(idsOf(second, list)).toEqual([{ customers: customerId, offers: offerId }[list] ?? subscriptionId]);
      expect(idsOf(await desk.get(`/merchants/${desk.merchantId}/${list}`), list)).toEqual([]);
      expect(await desk.get(own(list, '&startingAfter=unknown'))).toMatchObject({ status: 400 });
      expect(await desk.get(`/merchants/${NOBODY}/${list}`)).toMatchObject({ status: 404 });
      const { merchant } = await desk.http.merchant('Another');
      expect(idsOf(await desk.get(`/merchants/${merchant._id}/${list}?mode=test`), list)).toEqual([]);
    }
  });

  it('filter subscriptions by customer, offer and status', async () => {
    const narrow = (query: string) => desk.get(own('subscriptions', query));
    expect(idsOf(await narrow(`&customerId=${customerId}`), 'subscriptions')).toEqual([subscriptionId]);
    expect(idsOf(await narrow(`&offerId=${offerId}&status=pending`), 'subscriptions')).toEqual([subscriptionId]);
    expect(idsOf(await narrow(`&offerId=${offerId}&status=past_due`), 'subscriptions')).toEqual([]);
    expect(await narrow('&status=gone')).toMatchObject({ status: 400 });
  });
});

describe('one resource', () => {
  it('is a customer with wallets, merchant and the number of subscriptions, also once it is deleted', async () => {
    const { body } = await desk.get(`/customers/${customerId}`);
    expect(body).toMatchObject({
      id: customerId,
      mode: 'test',
      name: 'Mia',
      email: 'mia@example.com',
      merchantReferenceId: 'user-17',
      wallets: [{ chainFamily: 'evm', address: expect.stringMatching(/^0x/) }],
      deletedAt: null,
      merchant: { id: desk.merchantId, name: 'Coffee Club', status: 'active' },
      subscriptions: { count: 1, isCapped: false },
    });
    const gone = idOf(await desk.post('/customers', { name: 'Gone' }));
    await desk.http.call('DELETE', `/customers/${gone}`, { key: desk.key });
    expect((await desk.get(`/customers/${gone}`)).body).toMatchObject({
      name: null,
      deletedAt: expect.any(String),
      subscriptions: { count: 0 },
    });
    expect(await desk.get(`/customers/${offerId}`)).toMatchObject({ status: 404, body: { error: 'Not found' } });
  });

  it('is an offer with prices, checkout link and the number of subscriptions', async () => {
    expect((await desk.get(`/offers/${offerId}`)).body).toMatchObject({
      id: offerId,
      name: 'Coffee monthly',
      checkoutUrl: `http://127.0.0.1/checkout/${offerId}`,
      prices: [{ amount: '9.90', tokenKeys: ['usdc-local-evm'], active: true, billing: { interval: 'month' } }],
      subscriptions: { count: 1, isCapped: false },
    });
    const unsold = await desk.post('/offers', offerBody({ name: 'Unsold', pricing: [monthly({})] }));
    expect(priceIdOf(unsold)).toMatch(/^price_/);
    expect((await desk.get(`/offers/${idOf(unsold)}`)).body).toMatchObject({ subscriptions: { count: 0 } });
    expect(await desk.get(`/offers/${customerId}`)).toMatchObject({ status: 404 });
  });
});
