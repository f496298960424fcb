import { z } from 'zod';
import { monthly, offerBody } from '../../support/bodies.ts';
import { expectError, idOf } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

const merchant = await MerchantOverHttp.open();

const PRICE = 'price_01hm0000000000000000000002';

/** A subscription to the first of these prices, and the ids of all. */
async function onSale(pricing: readonly object[] = [monthly(), monthly({ amount: '19.90' })]) {
  const offer = await merchant.post('/offers', offerBody({ pricing }));
  const prices = z
    .object({ pricing: z.array(z.object({ id: z.string() })) })
    .parse(offer.body)
    .pricing.map(({ id }) => id);
  const [priceId, other = ''] = prices;
  const customerId = idOf(await merchant.post('/customers', {}));
  return {
    id: idOf(await merchant.post('/subscriptions', { priceId, customerId })),
    offerId: idOf(offer),
    prices,
    other,
  };
}

describe('POST /subscriptions/{subscriptionId}/migrate 200', () => {
  it('shows the terms that wait for the payer, and the authorization link', async () => {
    const { id, other } = await onSale();
    const { status, body } = await merchant.post(`/subscriptions/${id}/migrate`, {
      priceId: other,
      tokenKey: 'usdc-local-evm',
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      status: 'pending_authorization',
      priceId: other,
      pendingOfferPriceId: other,
      pendingPriceId: other,
      authorizationUrl: expect.stringMatching(/^https:\/\/pay\.example\.com\/checkout\/authorize\/[\w-]{43}$/),
      quote: null,
    });
  });
});

describe('POST /subscriptions/{subscriptionId}/migrate 400', () => {
  it('refuses a token that is none', async () => {
    const { id } = await onSale();
    const reply = await merchant.post(`/subscriptions/${id}/migrate`, { priceId: PRICE, tokenKey: '' });
    expectError(reply, 400, 'tokenKey must be 1 to 100 characters long');
  });

  it('refuses prices that the subscription cannot move to, and tokens that the price does not accept', async () => {
    const once = monthly({ billing: { type: 'one_time' } });
    const twoTokens = monthly({ acceptedTokens: ['usdt-polygon', 'usdc-polygon'] });
    const pricing = [monthly(), monthly({ amount: '8.00' }), twoTokens, once, monthly({ amount: '7.00' })];
    const { id, offerId, prices } = await onSale(pricing);
    const [present, other, polygon, oneTime, retired] = prices;
    const { prices: strange } = await onSale();
    await merchant.delete(`/offers/${offerId}/pricing/${retired}`);
    for (const [body, error] of [
      [{ priceId: present }, "priceId is the subscription's present pricing option; expected another one"],
      [{ priceId: oneTime }, 'priceId is a one-time pricing option; expected a recurring one'],
      [{ priceId: retired }, 'priceId is a retired pricing option; expected an active one'],
      [{ priceId: strange[0] }, "priceId is not a pricing option of the subscription's offer"],
      [{ priceId: PRICE }, "priceId is not a pricing option of the subscription's offer"],
      [{ priceId: polygon }, 'tokenKey is required: the pricing option accepts usdt-polygon, usdc-polygon'],
      [{ priceId: other, tokenKey: 'usdt-polygon' }, expect.stringMatching(/^tokenKey is not accepted by the pricing/)],
    ] as const) {
      expectError(await merchant.post(`/subscriptions/${id}/migrate`, body), 400, error);
    }
  });

  it('refuses to migrate a canceled subscription', async () => {
    const { id, other } = await onSale();
    expect((await merchant.post(`/subscriptions/${id}/cancel`)).status).toBe(200);
    const reply = await merchant.post(`/subscriptions/${id}/migrate`, { priceId: other });
    expectError(reply, 400, 'Subscription is canceled; migrate needs pending, active or past_due');
  });
});
