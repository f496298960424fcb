import { monthly, offerBody } from '../../support/bodies.ts';
import { expectError, idOf, priceIdOf, type Reply } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

const merchant = await MerchantOverHttp.open();
await merchant.http.store.records.change('merchants', merchant.id, {}, { set: { limitFactor: 100 } });

function create(body: object): Promise<Reply> {
  return merchant.post('/subscriptions', body);
}

/** An offer with one price, and a customer without a wallet. */
async function parties(option: object = {}) {
  const offer = await merchant.post('/offers', offerBody({ pricing: [monthly(option)] }));
  return { offerId: idOf(offer), priceId: priceIdOf(offer), customerId: idOf(await merchant.post('/customers', {})) };
}

describe('POST /subscriptions 201', () => {
  it('shows what was sent, and what follows from it', async () => {
    const { offerId, priceId, customerId } = await parties({ trialDays: 17 });
    const { status, body } = await create({
      offerPriceId: priceId,
      customerId,
      offerId,
      tokenKey: 'usdc-local-evm',
      customVariables: { seats: 3, team: 'a', beta: true },
      affiliatePartnerId: 'partner',
      affiliateCommissionPct: '12.5',
      idempotencyKey: 'every-field',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^sub_/),
      offerId,
      offerPriceId: priceId,
      offerName: 'Pro',
      priceAmount: '9.90',
      priceCurrency: 'USD',
      customerId,
      chainId: 31337,
      status: 'pending',
      currentPeriodEnd: '2030-02-01T10:00:00.000Z',
      allowanceConfirmed: false,
      cyclesCompleted: 0,
      customVariables: { seats: 3, team: 'a', beta: true },
      isSandbox: true,
      idempotencyKey: 'every-field',
      affiliatePartnerId: 'partner',
      affiliateCommissionPct: '12.5',
      createdAt: '2030-01-15T10:00:00.000Z',
      updatedAt: '2030-01-15T10:00:00.000Z',
      tokenKey: 'usdc-local-evm',
      payerWallet: null,
      authorizationUrl: expect.stringMatching(/^https:\/\/pay\.example\.com\/checkout\/authorize\/[\w-]{43}$/),
      trialEnd: '2030-02-01T10:00:00.000Z',
    });
  });

  it('shows missing fields as null', async () => {
    const { priceId, customerId } = await parties();
    expect(await create({ priceId, customerId })).toMatchObject({
      status: 201,
      body: { customVariables: {}, affiliatePartnerId: null, affiliateCommissionPct: null, idempotencyKey: null },
    });
  });
});

describe('POST /subscriptions 200', () => {
  it('has no link when nothing is left to authorize', async () => {
    const { priceId, customerId } = await parties();
    const id = idOf(await create({ priceId, customerId, idempotencyKey: 'no-link' }));
    await merchant.post(`/subscriptions/${id}/cancel`);
    const { body } = await create({ priceId, customerId, idempotencyKey: 'no-link' });
    expect(body).toMatchObject({ status: 'canceled', authorizationUrl: null });
  });
});

describe('POST /subscriptions 400', () => {
  const ok = { priceId: 'price_1', customerId: 'cust_1' };
  it.each([
    ['no price', { priceId: undefined }, 'priceId is required'],
    ['an alias that differs', { offerPriceId: 'price_2' }, 'offerPriceId must be the same as priceId'],
    ['half an affiliate', { affiliatePartnerId: 'p' }, 'affiliateCommissionPct is required together with'],
    ['the other half', { affiliateCommissionPct: '5' }, 'affiliatePartnerId is required together with'],
    [
      'more than everything',
      { affiliatePartnerId: 'p', affiliateCommissionPct: '100.01' },
      'affiliateCommissionPct must',
    ],
    ['a partner that is too long', { affiliatePartnerId: 'p'.repeat(65) }, 'affiliatePartnerId must be 1 to 64'],
  ])('refuses %s', async (_what, change, message) => {
    expectError(await create({ ...ok, ...change }), 400, expect.stringContaining(message));
  });

  it('refuses a one-time pricing option', async () => {
    const pricing = [monthly({ billing: { type: 'one_time' } })];
    const priceId = priceIdOf(await merchant.post('/offers', offerBody({ pricing })));
    const customerId = idOf(await merchant.post('/customers', {}));
    const reply = await merchant.post('/subscriptions', { priceId, customerId });
    expectError(reply, 400, 'priceId is a one-time pricing option; expected a recurring one');
  });
});

describe('POST /subscriptions 404', () => {
  it('names the field whose id is unknown', async () => {
    const { offerId: _, ...known } = await parties();
    const { offerId: other } = await parties();
    const unknown = { priceId: 'price_1', customerId: 'cust_1', offerId: other };
    for (const [field, id] of Object.entries(unknown)) {
      const named = field === 'offerId' ? 'priceId in this offerId' : field;
      const error = `Not found: ${named} names nothing of this merchant in this mode`;
      expectError(await create({ ...known, [field]: id }), 404, error);
    }
  });
});
