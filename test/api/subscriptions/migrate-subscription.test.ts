import { z } from 'zod';
import { Desk } from '../../staff/support/desk.ts';
import { monthly, offerBody } from '../../support/bodies.ts';
import { type HttpHarness, idOf, PUBLIC_URL, type Reply, startHttp } from '../../support/http.ts';
import { subscriptionRecord } from '../../support/services.ts';

let http: HttpHarness;
let testKey: string;
beforeAll(async () => {
  http = await startHttp();
});
beforeEach(async () => {
  ({ testKey } = await http.merchant());
  http.scripted.subscriptions.asked.length = 0;
  http.scripted.subscriptions.records = [subscriptionRecord({ status: 'active' })];
});

const ID = subscriptionRecord().id;
const PRICE = 'price_01hm0000000000000000000002';

function migrate(body: unknown): Promise<Reply> {
  return http.call('POST', `/subscriptions/${ID}/migrate`, { key: testKey, body });
}

describe('POST /subscriptions/{subscriptionId}/migrate 200', () => {
  it('shows the terms that wait for the payer, and the authorization link', async () => {
    const { status, body } = await migrate({ priceId: PRICE });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: ID,
      status: 'pending_authorization',
      priceId: PRICE,
      pendingOfferPriceId: PRICE,
      pendingPriceId: PRICE,
      authorizationUrl: `${PUBLIC_URL}/checkout/authorize/${'a'.repeat(43)}`,
    });
    expect(http.scripted.subscriptions.asked).toMatchObject([
      { input: { id: ID, priceId: PRICE, tokenKey: null, by: 'api' } },
    ]);
  });

  it('passes the token on', async () => {
    expect((await migrate({ priceId: PRICE, tokenKey: 'usdt-base' })).status).toBe(200);
    expect(http.scripted.subscriptions.asked).toMatchObject([{ input: { tokenKey: 'usdt-base' } }]);
  });
});

describe('POST /subscriptions/{subscriptionId}/migrate 400', () => {
  it.each([['a token that is none', { priceId: PRICE, tokenKey: '' }, 'tokenKey must be 1 to 100 characters long']])(
    'refuses %s',
    async (_what, body, message) => {
      const reply = await migrate(body);
      expect([reply.status, reply.body]).toEqual([400, { error: message }]);
      expect(http.scripted.subscriptions.asked).toEqual([]);
    },
  );

  it('refuses to migrate a canceled subscription', async () => {
    const desk = await Desk.open();
    const pricing = [monthly(), monthly({ amount: '19.90' })];
    const { body: offer } = await desk.post('/offers', offerBody({ pricing }));
    const [priceId, other] = z
      .object({ pricing: z.array(z.object({ id: z.string() })) })
      .parse(offer)
      .pricing.map(({ id }) => id);
    const customerId = idOf(await desk.post('/customers', {}));
    const id = idOf(await desk.post('/subscriptions', { priceId, customerId }));
    expect((await desk.post(`/subscriptions/${id}/cancel`)).status).toBe(200);
    const { status, body } = await desk.post(`/subscriptions/${id}/migrate`, { priceId: other });
    expect([status, body]).toEqual([
      400,
      { error: 'Subscription is canceled; migrate needs pending, active or past_due' },
    ]);
  });
});
