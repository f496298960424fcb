import { monthly, offerBody } from '../support/bodies.ts';
import { expectError, idOf, idsOf, priceIdOf } from '../support/http.ts';
import { MerchantOverHttp } from '../support/merchant-over-http.ts';
import { adaAt, NOBODY } from './support/staff.ts';

/** The customers, offers and subscriptions of a merchant, as staff read them. */
const merchant = await MerchantOverHttp.open();
const ada = adaAt(merchant.http);
const subscriptionId = await merchant.subscribe({
  name: 'Mia',
  email: 'mia@example.com',
  merchantReferenceId: 'user-17',
});
const { attributes } = await merchant.subscription(subscriptionId);
const customerId = String(attributes['customerId']);
const offerId = String(attributes['offerId']);

const own = (list: string, query = '') => `/merchants/${merchant.id}/${list}?mode=test${query}`;

describe('the lists of a merchant', () => {
  it('show its resources of the asked environment, the newest first, page by page', async () => {
    merchant.http.later(1_000);
    const newer = await merchant.subscribe({ name: 'Noa' });
    expect(idsOf(await ada.get(own('subscriptions')), 'subscriptions')).toEqual([newer, subscriptionId]);
    for (const list of ['customers', 'offers', 'subscriptions']) {
      const first = await ada.get(own(list, '&limit=1'));
      expect([first.status, first.body]).toEqual([200, expect.objectContaining({ limit: 1, hasMore: true })]);
      const [last = ''] = idsOf(first, list);
      const second = await ada.get(own(list, `&limit=1&startingAfter=${last}`));
      expect(second.body).toMatchObject({ hasMore: false });
      expect(idsOf(second, list)).toEqual([{ customers: customerId, offers: offerId }[list] ?? subscriptionId]);
      expect(idsOf(await ada.get(`/merchants/${merchant.id}/${list}`), list)).toEqual([]);
      expect(await ada.get(own(list, '&startingAfter=unknown'))).toMatchObject({ status: 400 });
      expect(await ada.get(`/merchants/${NOBODY}/${list}`)).toMatchObject({ status: 404 });
      const { merchant: another } = await merchant.http.merchant('Another');
      expect(idsOf(await ada.get(`/merchants/${another._id}/${list}?mode=test`), list)).toEqual([]);
    }
  });

  it('filter subscriptions by customer, offer and status', async () => {
    const narrow = (query: string) => ada.get(own('subscriptions', query));
    expect(idsOf(await narrow(`&customerId=${customerId}`), 'subscriptions')).toEqual([subscriptionId]);
    expect(idsOf(await narrow(`&offerId=${offerId}&status=pending`), 'subscriptions')).toEqual([subscriptionId]);
    expect(idsOf(await narrow(`&offerId=${offerId}&status=past_due`), 'subscriptions')).toEqual([]);
    expect(await narrow('&status=gone')).toMatchObject({ status: 400 });
  });
});

describe('one resource', () => {
  it('is a customer with wallets, merchant and the number of subscriptions, also once it is deleted', async () => {
    const { body } = await ada.get(`/customers/${customerId}`);
    expect(body).toMatchObject({
      id: customerId,
      mode: 'test',
      name: 'Mia',
      email: 'mia@example.com',
      merchantReferenceId: 'user-17',
      wallets: [{ chainFamily: 'evm', address: expect.stringMatching(/^0x/) }],
      deletedAt: null,
      merchant: { id: merchant.id, name: 'Coffee Club', status: 'active' },
      subscriptions: { count: 1, isCapped: false },
    });
    const gone = idOf(await merchant.post('/customers', { name: 'Gone' }));
    await merchant.delete(`/customers/${gone}`);
    expect((await ada.get(`/customers/${gone}`)).body).toMatchObject({
      name: null,
      deletedAt: expect.any(String),
      subscriptions: { count: 0 },
    });
    expectError(await ada.get(`/customers/${offerId}`), 404, 'Not found');
  });

  it('is an offer with prices, checkout link and the number of subscriptions', async () => {
    expect((await ada.get(`/offers/${offerId}`)).body).toMatchObject({
      id: offerId,
      name: 'Coffee monthly',
      checkoutUrl: `https://pay.example.com/checkout/${offerId}`,
      prices: [{ amount: '9.90', tokenKeys: ['usdc-local-evm'], active: true, billing: { interval: 'month' } }],
      subscriptions: { count: 1, isCapped: false },
    });
    const unsold = await merchant.post('/offers', offerBody({ name: 'Unsold', pricing: [monthly({})] }));
    expect(priceIdOf(unsold)).toMatch(/^price_/);
    expect((await ada.get(`/offers/${idOf(unsold)}`)).body).toMatchObject({ subscriptions: { count: 0 } });
    expect(await ada.get(`/offers/${customerId}`)).toMatchObject({ status: 404 });
  });
});
