import { REASON, staff } from '../staff/support/staff.ts';
import { ALICE, BOB, CAROL, monthly, offerBody, paymentBody, SOL_ALICE } from '../support/bodies.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { answerAtDeadline, expectError, idOf, priceIdOf, type Reply, startHttp, useMerchant } from '../support/http.ts';

/** The meaning of requests, in any notation. */
const store = await (await startTestDevnet()).openStore('requests');
const http = await startHttp({ store });
http.now = new Date();
afterAll(() => http.stop());
const merchant = useMerchant(http);
beforeEach(async () => {
  await store.records.change('merchants', merchant.id, {}, { set: { limitFactor: 100 } });
});

const post = (path: string, body: object): Promise<Reply> => merchant.post(path, body);

function evm(address: string) {
  return { chainFamily: 'evm', address };
}

describe('merchantDestinationWallet of POST /offers', () => {
  it('is the default of options without their own', async () => {
    const own = { evm: BOB, solana: null };
    const pricing = [
      monthly(),
      monthly({ merchantDestinationWallet: own }),
      monthly({ acceptedTokens: ['usdc-solana'] }),
    ];
    const made = await post('/offers', { name: 'Pro', pricing, merchantDestinationWallet: ALICE.toLowerCase() });
    expect([made.status, made.headers.get('x-ignored-fields')]).toEqual([201, null]);
    const [offer] = await store.records.get('offers', [idOf(made)]);
    expect(offer?.pricing.map((option) => option.merchantDestinationWallet)).toEqual([
      { evm: ALICE, solana: null },
      own,
      { evm: ALICE, solana: null },
    ]);
  });

  it('is checked, and cannot be changed later', async () => {
    const none = await post('/offers', offerBody({ merchantDestinationWallet: 'nowhere' }));
    expectError(none, 400, expect.stringContaining('merchantDestinationWallet'));
    const id = idOf(await post('/offers', offerBody()));
    const later = await merchant.patch(`/offers/${id}`, { name: 'X', merchantDestinationWallet: ALICE });
    expectError(later, 400, 'merchantDestinationWallet cannot be updated');
  });
});

describe('walletAddress of a customer', () => {
  it.each([
    ['evm', ALICE.toLowerCase(), ALICE],
    ['solana', SOL_ALICE, SOL_ALICE],
  ])('is its %s wallet, at its creation and later', async (chainFamily, sent, address) => {
    const wallets = [{ chainFamily, address }];
    expect((await post('/customers', { walletAddress: sent })).body).toMatchObject({ wallets });
    const { testKey } = await http.merchant();
    const id = idOf(await merchant.post('/customers', {}, testKey));
    expect((await merchant.patch(`/customers/${id}`, { walletAddress: sent }, testKey)).body).toMatchObject({
      wallets,
    });
  });

  it('is allowed beside wallets of the other family, and must agree with those of its own', async () => {
    const both = await post('/customers', { walletAddress: SOL_ALICE, wallets: [evm(ALICE)] });
    expect(both.body).toMatchObject({ wallets: [evm(ALICE), { chainFamily: 'solana', address: SOL_ALICE }] });
    const same = await post('/customers', { walletAddress: BOB.toLowerCase(), wallets: [evm(BOB)] });
    expect(same.body).toMatchObject({ wallets: [evm(BOB)] });
    const differs = await post('/customers', { walletAddress: ALICE, wallets: [evm(BOB)] });
    expectError(differs, 400, 'walletAddress must be the same as the evm address in wallets');
    const cleared = await merchant.patch(`/customers/${idOf(same)}`, { walletAddress: BOB, wallets: null });
    expect(cleared.status).toBe(400);
    const none = await post('/customers', { walletAddress: 'nowhere' });
    expectError(none, 400, expect.stringContaining('walletAddress must be an EVM'));
  });
});

describe('a blank name', () => {
  it.each<[string, object]>([
    ['/offers', offerBody({ name: '  ' })],
    ['/offers', { name: 'Pro', pricing: [monthly({ label: '\t' })] }],
    ['/customers', { name: '\n ' }],
  ])('answers 400 to POST %s', async (path, body) => {
    expectError(await post(path, body), 400, expect.stringContaining('must not be blank'));
  });

  it('answers 400 to PATCH, and to the staff API', async () => {
    const id = idOf(await post('/offers', offerBody()));
    expect((await merchant.patch(`/offers/${id}`, { name: ' ' })).status).toBe(400);
    expect((await staff(http, 'POST', '/merchants', { name: ' ' })).status).toBe(400);
    expect((await staff(http, 'POST', `/merchants/${merchant.id}/suspend`, { reason: ' ' })).status).toBe(400);
    expect((await staff(http, 'POST', `/merchants/${merchant.id}/suspend`, { reason: REASON })).status).toBe(200);
  });
});

describe('Idempotency-Mismatch', () => {
  const idempotencyKey = 'c2a1f9d4-7c3e-4b0a-8f57-3f0e6f4f9d21';

  const SAME: readonly [string, string, object, object][] = [
    ['/offers', 'amounts', offerBody(), { pricing: [monthly({ amount: '09.900' })], name: 'Pro' }],
    [
      '/offers',
      'defaults',
      offerBody(),
      offerBody({
        active: true,
        metadata: {},
        expiresAt: null,
        splitEvm: [],
        planChanges: null,
        pricing: [monthly({ currency: 'usd', billing: { intervalCount: 1, interval: 'month', type: 'recurring' } })],
      }),
    ],
    [
      '/offers',
      'moments',
      offerBody({ expiresAt: '2040-01-01T00:00:00Z' }),
      offerBody({ expiresAt: '2040-01-01T01:00:00.000+01:00' }),
    ],
    [
      '/offers',
      'destinations',
      offerBody({ merchantDestinationWallet: ALICE }),
      offerBody({ pricing: [monthly({ merchantDestinationWallet: { evm: ALICE.toLowerCase() } })] }),
    ],
    [
      '/offers',
      'percentages',
      offerBody({ splitEvm: [{ address: ALICE, percentage: '10' }] }),
      offerBody({ splitEvm: [{ percentage: '10.00', address: ALICE.toLowerCase() }] }),
    ],
    ['/customers', 'addresses', { wallets: [evm(ALICE)] }, { walletAddress: ALICE.toLowerCase(), name: null }],
  ];

  it.each(SAME)('of POST %s is not sent for other %s of the same meaning', async (path, _what, first, second) => {
    expect((await post(path, { ...first, idempotencyKey })).status).toBe(201);
    const again = await post(path, { ...second, idempotencyKey });
    expect([again.status, again.headers.get('idempotency-mismatch')]).toEqual([200, null]);
  });

  it.each<[string, object, object]>([
    ['/offers', offerBody(), offerBody({ pricing: [monthly({ amount: '99.0' })] })],
    ['/offers', offerBody({ metadata: { n: '10' } }), offerBody({ metadata: { n: '10.00' } })],
    ['/customers', { walletAddress: ALICE }, { walletAddress: BOB }],
  ])('of POST %s is sent for another meaning', async (path, first, second) => {
    expect((await post(path, { ...first, idempotencyKey })).status).toBe(201);
    const again = await post(path, { ...second, idempotencyKey });
    expect([again.status, again.headers.get('idempotency-mismatch')]).toEqual([200, 'true']);
  });

  it('of a payment is not sent for the same meaning', async () => {
    const first = paymentBody({ paymentMethod: 'wallet_transfer', fromWallet: undefined, refundWallet: ALICE });
    const same = { ...first, amount: '10', refundWallet: ALICE.toLowerCase(), metadata: {} };
    expect((await post('/payments', { ...first, idempotencyKey })).status).toBe(201);
    const again = await post('/payments', { ...same, idempotencyKey });
    expect([again.status, again.headers.get('idempotency-mismatch')]).toEqual([200, null]);
  });

  it('of a subscription is not sent for the same meaning', async () => {
    const offer = await post('/offers', offerBody());
    const customerId = idOf(await post('/customers', {}));
    const affiliate = { affiliatePartnerId: 'p', affiliateCommissionPct: '5' };
    const first = { priceId: priceIdOf(offer), customerId, ...affiliate, idempotencyKey };
    expect((await post('/subscriptions', first)).status).toBe(201);
    const { priceId: offerPriceId, ...rest } = first;
    const again = await post('/subscriptions', {
      ...rest,
      offerPriceId,
      affiliateCommissionPct: '5.00',
      customVariables: {},
    });
    expect([again.status, again.headers.get('idempotency-mismatch')]).toEqual([200, null]);
  });
});

describe('HEAD', () => {
  it('has the status and the headers of GET, no body, and the same bucket', async () => {
    const id = idOf(await post('/offers', offerBody()));
    for (const path of ['/offers', `/offers/${id}`, '/offers/offer_none', '/offers?limit=0', '/currencies']) {
      const [got, head] = [
        await http.send('GET', `/v1${path}`, { key: merchant.key }),
        await http.send('HEAD', `/v1${path}`, { key: merchant.key }),
      ];
      expect([head.status, head.body]).toEqual([got.status, '']);
      for (const name of ['content-type', 'content-length', 'cache-control']) {
        expect(head.headers.get(name)).toBe(got.headers.get(name));
      }
    }
    const { testKey } = await http.merchant();
    const calls = Array.from({ length: 61 }, (_, index) =>
      http.send(index % 2 === 0 ? 'GET' : 'HEAD', '/v1/wallets', { key: testKey }),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  });

  it('is answered without a key, and outside of the API, like GET', async () => {
    expect((await http.send('HEAD', '/v1/offers')).status).toBe(401);
    for (const path of ['/health', '/openapi.json', '/docs', '/staff']) {
      expect((await http.send('HEAD', path)).status).toBe((await http.send('GET', path)).status);
    }
  });
});

describe('POST /payments with a customer', () => {
  it("charges the customer's wallet of the token's family", async () => {
    const { fromWallet: _none, ...body } = Object(paymentBody());
    const customerId = idOf(
      await post('/customers', { wallets: [evm(ALICE), { chainFamily: 'solana', address: SOL_ALICE }] }),
    );
    const paidBy = async (change: object, idempotencyKey: string) => {
      const charged = post('/payments', { ...body, customerId, ...change, idempotencyKey });
      const { status, body: payment } = await answerAtDeadline(http, charged);
      return [status, Reflect.get(Object(payment), 'fromWallet'), Reflect.get(Object(payment), 'customerId')];
    };
    expect(await paidBy({}, `of-${customerId}`)).toEqual([201, ALICE, customerId]);
    expect(await paidBy({ fromWallet: CAROL }, `named-${customerId}`)).toEqual([201, CAROL, customerId]);
  });

  it('answers 400 if the customer has none, and 404 for an unknown customer', async () => {
    const { fromWallet: _none, ...body } = Object(paymentBody());
    const customerId = idOf(await post('/customers', { walletAddress: SOL_ALICE }));
    const none = await post('/payments', { ...body, customerId });
    expectError(none, 400, `fromWallet is required: ${customerId} has no evm wallet`);
    expect((await post('/payments', { ...body, customerId: 'cust_none' })).status).toBe(404);
    expect((await post('/payments', body)).body).toEqual({ error: 'fromWallet is required' });
  });
});
