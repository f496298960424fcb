import { minuteOf } from '../../src/store/windows.ts';
import { NOTHING } from '../../stage/scripted-chain.ts';
import { monthly } from '../support/bodies.ts';
import { expectError } from '../support/http.ts';
import { CheckoutOverHttp, ONE_TIME, type OnSale } from './support/checkout.ts';

const checkout = await CheckoutOverHttp.start();

beforeEach(() => {
  checkout.chain.state = NOTHING;
  checkout.later(60_000);
});

async function suspend({ merchant }: OnSale): Promise<void> {
  await checkout.http.store.records.change('merchants', merchant.id, {}, { set: { status: 'suspended' } });
}

describe('GET …/offers/{offerId}', () => {
  it("shows a page's facts: the items, the price, the tokens and chains, and the operator", async () => {
    const merchant = await checkout.merchant('Acme');
    const branding = await checkout.brand(merchant);
    const sale = await checkout.offer(
      {
        name: 'Coffee Club',
        description: 'Beans',
        features: [{ text: 'Fresh' }],
        collectFields: { email: true },
        afterCompletion: { url: 'https://x.example/secret' },
        availableQuantity: 7,
        pricing: [
          monthly({ label: 'Monthly', trialDays: 7 }),
          { ...ONE_TIME, acceptedTokens: ['usdc-base', 'usdc-base-sepolia'] },
        ],
      },
      merchant,
    );
    const operator = checkout.chain.operatorFor(merchant.id, 'test');
    const { status, body, headers } = await checkout.get(`/offers/${sale.offerId}`);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(body).toMatchObject({
      id: sale.offerId,
      name: 'Coffee Club',
      description: 'Beans',
      features: [{ text: 'Fresh' }],
      collectFields: { email: true },
      merchantName: 'Acme',
      branding,
      isSandbox: true,
      isOpen: true,
      closedFor: null,
      takesCodes: false,
      unitsLeft: 7,
      pricing: [
        {
          label: 'Monthly',
          amount: '9.90',
          currency: 'USD',
          billing: { type: 'recurring', interval: 'month', intervalCount: 1 },
          trialDays: 7,
          acceptedTokens: [{ tokenKey: 'usdc-local-evm', amount: '9.90', enabled: true, operator }],
        },
        {
          billing: { type: 'one_time', interval: null, intervalCount: null },
          acceptedTokens: [
            {
              tokenKey: 'usdc-base',
              chainId: 8453,
              chainLabel: 'Base',
              enabled: true,
              playing: { chainId: 31_337, tokenKey: 'usdc-local-evm', decimals: 6 },
              operator,
              amountBaseUnits: '25000000',
            },
            { tokenKey: 'usdc-base-sepolia', enabled: false, playing: null, operator: null, amountBaseUnits: null },
          ],
        },
      ],
    });
  });

  it.each([
    ['inactive', { active: false }],
    ['expired', { expiresAt: '2029-01-01T00:00:00Z' }],
    ['sold_out', { availableQuantity: 0 }],
  ])('shows that it is not open: %s', async (closedFor, change) => {
    const { offerId } = await checkout.offer(change);
    expect((await checkout.get(`/offers/${offerId}`)).body).toMatchObject({ isOpen: false, closedFor });
  });

  it('shows no retired option', async () => {
    const sale = await checkout.offer({ pricing: [monthly(), monthly({ label: 'Stays' })] });
    await sale.merchant.delete(`/offers/${sale.offerId}/pricing/${sale.priceId}`);
    expect((await checkout.get(`/offers/${sale.offerId}`)).body).toMatchObject({ pricing: [{ label: 'Stays' }] });
    const { priceId } = sale;
    const body = { address: checkout.newPayer().address, priceId };
    const reply = await checkout.post(`/offers/${sale.offerId}/challenges`, body);
    expectError(reply, 400, 'priceId is a retired pricing option; expected an active one');
  });
});

describe('the checkout API', () => {
  it('answers 404 for unknown and deleted things and for a suspended merchant, sessions and links too', async () => {
    const gone = await checkout.offer();
    await gone.merchant.delete(`/offers/${gone.offerId}`);
    const sale = await checkout.offer();
    const signed = await checkout.signed(sale, checkout.newPayer());
    const sessionKey = checkout.newKey();
    await checkout.subscribe(sale, checkout.newPayer(), { sessionKey });
    const { token } = await checkout.linked(sale);
    expect((await checkout.get(`/authorizations/${token}`)).status).toBe(200);
    await suspend(sale);
    const asked = { address: checkout.newPayer().address, priceId: sale.priceId };
    const replies = await Promise.all([
      ...['offer_x', gone.offerId, sale.offerId].map((id) => checkout.get(`/offers/${id}`)),
      checkout.post(`/offers/${sale.offerId}/challenges`, asked),
      checkout.post(`/offers/${sale.offerId}/subscriptions`, signed),
      checkout.get(`/sessions/${sessionKey}`),
      checkout.get('/sessions/a-key-that-nobody-has-used'),
      checkout.get(`/authorizations/${token}`),
      checkout.post(`/authorizations/${token}/challenges`, { address: asked.address }),
      checkout.get(`/authorizations/${'a'.repeat(43)}`),
      checkout.get('/'),
      checkout.get('/offers'),
      checkout.http.send('GET', '/checkout/api'),
      checkout.http.send('PATCH', `/checkout/api/offers/${sale.offerId}`),
    ]);
    expect(replies.map(({ status, body }) => [status, body])).toEqual(replies.map(() => [404, { error: 'Not found' }]));
  });

  it('is limited per address, with separate limits for reads and writes', async () => {
    const { offerId } = await checkout.offer();
    const window = minuteOf(checkout.http.now).name;
    const until = new Date('2040-01-01T00:00:00Z');
    await checkout.http.store.counters.add(`ip/checkout-write/127.0.0.1/${window}`, 120, until);
    expect((await checkout.post(`/offers/${offerId}/challenges`, {})).status).toBe(429);
    expect((await checkout.get(`/offers/${offerId}`)).status).toBe(200);
    await checkout.http.store.counters.add(`ip/checkout-read/127.0.0.1/${window}`, 600, until);
    const { status, headers } = await checkout.get(`/offers/${offerId}`);
    expect([status, headers.get('x-ratelimit-limit')]).toEqual([429, '600']);
  });

  it('leaves keys and tokens out of the log', async () => {
    const sale = await checkout.offer();
    const sessionKey = checkout.newKey();
    await checkout.subscribe(sale, checkout.newPayer(), { sessionKey });
    const { token } = await checkout.linked(sale);
    await checkout.get(`/sessions/${sessionKey}`);
    await checkout.get(`/authorizations/${token}`);
    // A line is written when the connection has finished its answer, which may be after the client has it.
    const written = () => JSON.stringify(checkout.http.logged);
    while (!written().includes('"/authorizations/{token}"')) await new Promise((resolve) => setImmediate(resolve));
    const text = written();
    expect(text).toContain('"route":"/sessions/{sessionKey}","status"');
    expect([text.includes(sessionKey), text.includes(token)]).toEqual([false, false]);
    expect(text).toContain(sale.offerId);
  });

  it('names the unread fields', async () => {
    const sale = await checkout.offer();
    const reply = await checkout.subscribe(sale, checkout.newPayer(), { colected: {}, refundWallet: 'x' });
    expect([reply.status, reply.headers.get('x-ignored-fields')]).toEqual([201, 'colected, refundWallet']);
  });
});
