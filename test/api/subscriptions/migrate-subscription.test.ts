import { z } from 'zod';
import { Desk } from '../../staff/support/desk.ts';
import { monthly, offerBody } from '../../support/bodies.ts';
import { idOf, type Reply } from '../../support/http.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await Desk.open();
});

const PRICE = 'price_01hm0000000000000000000002';

function migrate(body: unknown, id: string): Promise<Reply> {
  return desk.http.call('POST', `/subscriptions/${id}/migrate`, { key: desk.key, body });
}

/** A subscription to the first of two prices, and the id of the other one. */
async function onSale() {
  const pricing = [monthly(), monthly({ amount: '19.90' })];
  const { body: offer } = await desk.post('/offers', offerBody({ pricing }));
  const [priceId = '', other = ''] = z
    .object({ pricing: z.array(z.object({ id: z.string() })) })
    .parse(offer)
    .pricing.map(({ id }) => id);
  const customerId = idOf(await desk.post('/customers', {}));
  return { id: idOf(await desk.post('/subscriptions', { priceId, customerId })), priceId, other };
}

describe('POST /subscriptions/{subscriptionId}/migrate 200', () => {
  it('shows the terms that wait for the payer, and the authorization link', async () => {
    const { id, other } = await onSale();
    const { status, body } = await migrate({ priceId: other, tokenKey: 'usdc-local-evm' }, id);
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      status: 'pending_authorization',
      priceId: other,
      pendingOfferPriceId: other,
      pendingPriceId: other,
      authorizationUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1\/checkout\/authorize\/[\w-]{43}$/),
    });
  });
});

describe('POST /subscriptions/{subscriptionId}/migrate 400', () => {
  it('refuses a token that is none', async () => {
    const reply = await migrate({ priceId: PRICE, tokenKey: '' }, (await onSale()).id);
    expect([reply.status, reply.body]).toEqual([400, { error: 'tokenKey must be 1 to 100 characters long' }]);
  });

  it('refuses to migrate a canceled subscription', async () => {
    const { id, other } = await onSale();
    expect((await desk.post(`/subscriptions/${id}/cancel`)).status).toBe(200);
    const { status, body } = await desk.post(`/subscriptions/${id}/migrate`, { priceId: other });
    expect([status, body]).toEqual([
      400,
      { error: 'Subscription is canceled; migrate needs pending, active or past_due' },
    ]);
  });
});
