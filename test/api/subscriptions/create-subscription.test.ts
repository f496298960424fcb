import { Desk } from '../../staff/support/desk.ts';
import { monthly, offerBody } from '../../support/bodies.ts';
import { type HttpHarness, idOf, PUBLIC_URL, priceIdOf, type Reply, startHttp } from '../../support/http.ts';
import { subscriptionRecord } from '../../support/services.ts';

let http: HttpHarness;
let merchantId: string;
let testKey: string;
beforeAll(async () => {
  http = await startHttp();
});
beforeEach(async () => {
  const made = await http.merchant();
  merchantId = made.merchant._id;
  testKey = made.testKey;
  http.scripted.subscriptions.asked.length = 0;
  http.scripted.subscriptions.answer = { resource: subscriptionRecord(), replayed: false, mismatch: false };
});

function create(body: unknown): Promise<Reply> {
  return http.call('POST', '/subscriptions', { key: testKey, body });
}

describe('POST /subscriptions 201', () => {
  it('passes the request on, with missing fields as null', async () => {
    const { status } = await create({ priceId: 'price_1', customerId: 'cust_1' });
    expect(status).toBe(201);
    expect(http.scripted.subscriptions.asked).toEqual([
      {
        tenant: { merchantId, mode: 'test' },
        input: {
          priceId: 'price_1',
          customerId: 'cust_1',
          offerId: null,
          tokenKey: null,
          customVariables: {},
          affiliate: null,
          idempotencyKey: null,
          requestHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      },
    ]);
  });

  it('passes every field on, and accepts offerPriceId for priceId', async () => {
    const sent = {
      offerPriceId: 'price_1',
      customerId: 'cust_1',
      offerId: 'offer_1',
      tokenKey: 'usdc-base',
      customVariables: { seats: 3, team: 'a', beta: true },
      affiliatePartnerId: 'partner',
      affiliateCommissionPct: '12.5',
      idempotencyKey: 'k',
    };
    expect((await create(sent)).status).toBe(201);
    expect(http.scripted.subscriptions.asked).toMatchObject([
      {
        input: {
          priceId: 'price_1',
          offerId: 'offer_1',
          tokenKey: 'usdc-base',
          customVariables: { seats: 3, team: 'a', beta: true },
          affiliate: { partnerId: 'partner', commissionPct: '12.5' },
          idempotencyKey: 'k',
        },
      },
    ]);
  });

  it('shows every listed field, and the additive ones', async () => {
    const record = subscriptionRecord({
      mode: 'test',
      affiliate: { partnerId: 'p', commissionPct: '5' },
      trialEnd: new Date('2030-02-01T00:00:00Z'),
      currentPeriodEnd: new Date('2030-02-01T00:00:00Z'),
      customVariables: { seats: 3 },
      authorizationToken: 'a'.repeat(43),
    });
    http.scripted.subscriptions.answer = { resource: record, replayed: false, mismatch: false };
    const { body } = await create({ priceId: 'price_1', customerId: 'cust_1' });
    expect(body).toEqual({
      id: record.id,
      merchantId: record.merchantId,
      offerId: record.offerId,
      offerPriceId: record.offerPriceId,
      offerName: 'Pro',
      priceAmount: '9.90',
      priceCurrency: 'USD',
      customerId: record.customerId,
      chainId: 31337,
      status: 'pending',
      currentPeriodEnd: '2030-02-01T00:00:00.000Z',
      allowanceConfirmed: false,
      cyclesCompleted: 0,
      consecutiveFailures: 0,
      customVariables: { seats: 3 },
      afterCompletion: {},
      isSandbox: true,
      idempotencyKey: null,
      affiliatePartnerId: 'p',
      affiliateCommissionPct: '5',
      createdAt: '2030-01-15T10:00:00.000Z',
      updatedAt: '2030-01-15T10:00:00.000Z',
      tokenKey: 'usdc-local-evm',
      payerWallet: null,
      authorizationUrl: `${PUBLIC_URL}/checkout/authorize/${'a'.repeat(43)}`,
      cancelAt: null,
      trialEnd: '2030-02-01T00:00:00.000Z',
      pendingOfferPriceId: null,
      blockedReason: null,
    });
  });
});

describe('POST /subscriptions 200', () => {
  it('has no link when nothing is left to authorize', async () => {
    const resource = subscriptionRecord({ status: 'active', authorizationToken: null });
    http.scripted.subscriptions.answer = { resource, replayed: true, mismatch: false };
    const { body } = await create({ priceId: 'p', customerId: 'c', idempotencyKey: 'k' });
    expect(body).toMatchObject({ status: 'active', authorizationUrl: null });
  });
});

describe('POST /subscriptions 400', () => {
  const ok = { priceId: 'price_1', customerId: 'cust_1' };
  it.each([
    ['no price', { customerId: 'cust_1' }, 'priceId is required'],
    ['an alias that differs', { ...ok, offerPriceId: 'price_2' }, 'offerPriceId must be the same as priceId'],
    [
      'nested variables',
      { ...ok, customVariables: { a: {} } },
      'customVariables.a must be a string, a number, true or false',
    ],
    [
      'too many variables',
      { ...ok, customVariables: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, i])) },
      'customVariables must have at most 50 keys',
    ],
    [
      'variables that are too big',
      { ...ok, customVariables: { a: 'x'.repeat(8_200) } },
      'customVariables must be at most 8192',
    ],
    ['half an affiliate', { ...ok, affiliatePartnerId: 'p' }, 'affiliateCommissionPct is required together with'],
    ['the other half', { ...ok, affiliateCommissionPct: '5' }, 'affiliatePartnerId is required together with'],
    [
      'more than everything',
      { ...ok, affiliatePartnerId: 'p', affiliateCommissionPct: '100.01' },
      'affiliateCommissionPct must',
    ],
    ['a partner that is too long', { ...ok, affiliatePartnerId: 'p'.repeat(65) }, 'affiliatePartnerId must be 1 to 64'],
  ])('refuses %s', async (_what, body, message) => {
    const reply = await create(body);
    expect([reply.status, reply.body]).toEqual([400, { error: expect.stringContaining(message) }]);
    expect(http.scripted.subscriptions.asked).toEqual([]);
  });

  it('refuses a one-time pricing option', async () => {
    const desk = await Desk.open();
    const pricing = [monthly({ billing: { type: 'one_time' } })];
    const priceId = priceIdOf(await desk.post('/offers', offerBody({ pricing })));
    const customerId = idOf(await desk.post('/customers', {}));
    const { status, body } = await desk.post('/subscriptions', { priceId, customerId });
    expect([status, body]).toEqual([400, { error: 'priceId is a one-time pricing option; expected a recurring one' }]);
  });
});
