import { Signature, TypedDataEncoder } from 'ethers';
import { NOTHING, PLENTY } from '../../stage/scripted-chain.ts';
import { type SignableChallenge, signChallenge } from '../../stage/sign-challenge.ts';
import { monthly, SOL_ALICE } from '../support/bodies.ts';
import { expectError, idOf } from '../support/http.ts';
import { CheckoutOverHttp, type Payer } from './support/checkout.ts';

const checkout = await CheckoutOverHttp.start();

beforeEach(() => {
  checkout.chain.state = NOTHING;
  checkout.later(60_000);
});

describe('a challenge', () => {
  it('names no trial if the subscription exists and has no trial left', async () => {
    const payer = checkout.newPayer();
    const sale = await checkout.offer({ pricing: [monthly({ trialDays: 7 })] });
    const customer = { wallets: [{ chainFamily: 'evm', address: payer.address }] };
    const customerId = idOf(await sale.merchant.post('/customers', customer));
    const body = { customerId, priceId: sale.priceId };
    await sale.merchant.post('/subscriptions', body);
    expect((await checkout.challenge(sale, payer.address)).message).toContain(' after a trial of 7 days ');
    checkout.later(7 * 86_400_000);
    expect((await checkout.challenge(sale, payer.address)).message).not.toContain('trial');
    expect((await checkout.challenge(sale, checkout.newPayer().address)).message).toContain(
      ' after a trial of 7 days ',
    );
  });

  it('is one text with merchant, terms, operator and nonce, for ten minutes', async () => {
    const merchant = await checkout.merchant('Acme & Co');
    const sale = await checkout.offer({ name: 'Coffee Club' }, merchant);
    const payer = checkout.newPayer();
    const { message, typedData, nonce, expiresAt } = await checkout.challenge(sale, payer.address.toLowerCase());
    const operator = checkout.chain.operatorFor(merchant.id, 'test');
    expect(message).toBe(
      [
        'pay.example.com wants you to sign in with your Ethereum account:',
        payer.address,
        '',
        `I let Acme & Co charge this account 9.90 USD, as 9.90 USDC on Local EVM, every month for Coffee Club, through the operator ${operator} and no other, until it is canceled. This is a test: no real money moves.`,
        '',
        `URI: https://pay.example.com/checkout/${sale.offerId}`,
        'Version: 1',
        'Chain ID: 31337',
        `Nonce: ${nonce}`,
        `Issued At: ${checkout.http.now.toISOString()}`,
        `Expiration Time: ${expiresAt}`,
        'Resources:',
        `- urn:tideline:mandate:${mandateHashIn(typedData)}`,
      ].join('\n'),
    );
    expect(Date.parse(expiresAt) - checkout.http.now.getTime()).toBe(600_000);
    expect(await checkout.customers({ merchant })).toEqual([]);
  });

  it('comes with the limits for people, and the session names the agreement until it is revoked', async () => {
    const merchant = await checkout.merchant();
    const sale = await checkout.offer({}, merchant);
    const payer = checkout.newPayer();
    const challenge = await checkout.challenge(sale, payer.address);
    const { typedData } = challenge;
    if (typedData === null) throw new Error('the challenge has no typed data');
    const { domain, message } = typedData;
    const mandate = {
      payer: payer.address,
      perCharge: '9.90',
      perChargeBaseUnits: '9900000',
      per30Days: null,
      charges: null,
      intervalSeconds: null,
      startsAt: null,
      endsAt: null,
      payees: message['payees'],
      platform: null,
      contract: { router: domain['verifyingContract'], merchant: message['merchant'], agreement: message['agreement'] },
    };
    expect(challenge).toMatchObject({ mandate });
    const signature = await signChallenge(payer, challenge);
    const signed = { address: payer.address, message: challenge.message, signature, sessionKey: checkout.newKey() };
    const { priceId } = sale;
    const { body } = await checkout.post(`/offers/${sale.offerId}/subscriptions`, { priceId, ...signed });
    expect(body).toMatchObject({ mandate });
    const [stored] = await checkout.http.store.records.find('mandates', {
      where: { merchantId: merchant.id },
      limit: 2,
    });
    const change = { set: { revokedAt: checkout.http.now } };
    await checkout.http.store.records.change('mandates', stored?._id ?? '', {}, change);
    const revoked = await checkout.get(`/sessions/${signed.sessionKey}`);
    expect(revoked.body).toMatchObject({ mandate: { ...mandate, contract: null } });
  });

  it('is stored with the signature in the only form that the router takes', async () => {
    const sale = await checkout.offer();
    for (const given of ['serialized', 'compactSerialized', 'withRecoveryId'] as const) {
      const payer = checkout.newPayer();
      const body = await checkout.signed(sale, payer);
      const made = Signature.from(body.signature);
      const recovery = `${made.serialized.slice(0, -2)}0${made.yParity}`;
      const signature = given === 'withRecoveryId' ? recovery : made[given];
      expect((await post2(sale, { ...body, signature })).status).toBe(201);
      const [mandate] = await checkout.http.store.records.find('mandates', {
        where: { payer: payer.address },
        limit: 1,
      });
      expect(mandate?.signature).toBe(made.serialized);
    }
  });

  it('names a one-time amount once, and puts foreign names in one harmless line', async () => {
    const merchant = await checkout.merchant('Evil\nURI: https://evil.example');
    const sale = await checkout.oneTime({ name: 'Café\u202e "<b>" 東京' }, merchant);
    const { message } = await checkout.challenge(sale, checkout.newPayer().address);
    expect(message.split('\n')).toHaveLength(13);
    expect(message.split('\n')[3]).toMatch(
      /^I pay Evil URI: https:\/\/evil\.example 25 USD, as 25\.00 USDC on Local EVM, once for Café b 東京, through/,
    );
  });

  it('comes with the requested sum: twelve months, or the cycles that are left', async () => {
    const sale = await checkout.offer({ name: 'Coffee Club' });
    expect(await checkout.challenge(sale, checkout.newPayer().address)).toMatchObject({
      lines: [{ offerName: 'Coffee Club', amount: '9.90', amountBaseUnits: '9900000', cycles: 12, total: '118.80' }],
      total: '118.80',
      totalBaseUnits: '118800000',
      least: '9.90',
    });
    const days = { pricing: [monthly({ billing: { type: 'recurring', interval: 'day' }, maxCycles: 3 })] };
    const limited = await checkout.offer(days);
    expect(await checkout.challenge(limited, checkout.newPayer().address)).toMatchObject({ total: '29.70' });
  });

  it.each([
    ['no address', { address: 'me' }, 'address must be an EVM address'],
    ['one of another family', { address: SOL_ALICE }, 'address must be an EVM address'],
    ['an unknown price', { priceId: 'price_x' }, 'priceId is not a pricing option of this offer'],
    ['a token that is not accepted', { tokenKey: 'usdc-base' }, 'tokenKey is not accepted by the pricing option'],
  ])('is refused for %s', async (_what, change, message) => {
    const { offerId, priceId } = await checkout.offer();
    const body = { address: checkout.newPayer().address, priceId, ...change };
    expectError(await checkout.post(`/offers/${offerId}/challenges`, body), 400, expect.stringContaining(message));
  });

  it('is refused for a token of a chain that is not enabled', async () => {
    const sale = await checkout.offer({ pricing: [monthly({ acceptedTokens: ['usdc-base-sepolia'] })] });
    const body = { address: checkout.newPayer().address, priceId: sale.priceId };
    const reply = await checkout.post(`/offers/${sale.offerId}/challenges`, body);
    expectError(reply, 400, 'tokenKey is on a chain that is not enabled: "usdc-base-sepolia"');
  });
});

describe('POST …/subscriptions', () => {
  it('makes customer and subscription when the wallet has signed, and names what is missing', async () => {
    const sale = await checkout.offer({ name: 'Coffee Club', afterCompletion: { url: 'https://x.example' } });
    const payer = checkout.newPayer();
    const collected = { email: 'ada@example.com', name: 'Ada', seats: 3, plan: 'team' };
    const { status, body } = await checkout.subscribe(sale, payer, { collected });
    const [customer] = await checkout.customers(sale);
    const [subscription] = await checkout.subscriptions(sale);
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        kind: 'subscription',
        offerName: 'Coffee Club',
        merchantName: 'Acme',
        isSandbox: true,
        wallet: payer.address,
        isExisting: false,
        chain: expect.objectContaining({ wallet: payer.address, allowance: '0.00', missingAllowance: '9.90' }),
        outcome: {
          progress: 'waiting',
          waitsFor: 'allowance',
          subscription: expect.objectContaining({
            id: subscription?._id,
            status: 'pending',
            payerWallet: payer.address,
          }),
          payment: null,
          permit: null,
          afterCompletion: null,
          receiptPath: null,
        },
        permitToSign: null,
      }),
    ]);
    const wallets = [{ chainFamily: 'evm', address: payer.address }];
    expect(customer).toMatchObject({ email: 'ada@example.com', name: 'Ada', phone: null, wallets });
    expect(subscription).toMatchObject({
      attributes: { customerId: customer?._id, idempotencyKey: expect.stringMatching(/^checkout:ses_[0-9a-f]{64}$/) },
      context: { customVariables: { seats: 3, plan: 'team' } },
    });
    const [ofCustomer, ofSubscription] = await Promise.all(
      [customer, subscription].map((doc) => checkout.billing.eventsOf(doc?._id ?? '')),
    );
    expect([...(ofCustomer ?? []), ...(ofSubscription ?? [])].map(({ event }) => event)).toEqual([
      'customer.created',
      'subscription.created',
    ]);
  });

  it('answers the same key with the same session and 200, even while the first request is under way', async () => {
    const sale = await checkout.offer();
    const body = await checkout.signed(sale, checkout.newPayer());
    const post = () => checkout.post(`/offers/${sale.offerId}/subscriptions`, body);
    const replies = await Promise.all([post(), post(), post()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    const again = await post();
    expect(again).toMatchObject({ status: 200, body: { id: expect.stringMatching(/^ses_/) } });
    expect(again.headers.has('idempotency-mismatch')).toBe(false);
    expect(await checkout.subscriptions(sale)).toHaveLength(1);
    const other = await post2(sale, { ...body, collected: { name: 'Other' } });
    expect([other.status, other.headers.get('idempotency-mismatch')]).toEqual([200, 'true']);
    expect((await checkout.customers(sale))[0]?.name).toBeNull();
  });

  it('makes one subscription of simultaneous tabs, under the mandate of one; the others sign again', async () => {
    const sale = await checkout.offer();
    const payer = checkout.newPayer();
    const tabs = await Promise.all([1, 2, 3].map(() => checkout.signed(sale, payer)));
    const replies = await Promise.all(tabs.map((body) => post2(sale, body)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    expect(await checkout.subscriptions(sale)).toHaveLength(1);
    expect(await checkout.customers(sale)).toHaveLength(1);
    const refused = tabs.find((_, index) => replies[index]?.status === 400);
    const again = await checkout.subscribe(sale, payer, { sessionKey: refused?.sessionKey });
    expect(again).toMatchObject({ status: 201, body: { isExisting: true } });
  });

  it('is finished by the next request if the process died after the signature', async () => {
    const sale = await checkout.offer();
    const body = await checkout.signed(sale, checkout.newPayer());
    checkout.onFault = async (point) => {
      if (point === 'commit.before') throw new Error('the process has died');
    };
    expect((await post2(sale, body)).status).toBe(500);
    expect(await checkout.subscriptions(sale)).toEqual([]);
    checkout.onFault = async () => {};
    const { status } = await checkout.get(`/sessions/${body.sessionKey}`);
    const again = await post2(sale, body);
    expect([status, again.status, (await checkout.subscriptions(sale)).length]).toEqual([200, 200, 1]);
    expect(await checkout.customers(sale)).toHaveLength(1);
  });

  it('is known before a signature to a wallet that pays it, as soon as the chain shows a charge', async () => {
    const payer = checkout.newPayer();
    const sale = await checkout.offer();
    const quoteFor = async (address: string) =>
      (await checkout.get(`/offers/${sale.offerId}/wallets/${address}?priceId=${sale.priceId}`)).body;
    checkout.chain.state = PLENTY;
    await checkout.subscribe(sale, payer);
    expect(await quoteFor(payer.address)).toMatchObject({ isSubscribed: false });
    const [subscription] = await checkout.subscriptions(sale);
    await checkout.payFirstCycle(subscription?._id ?? '');
    expect(await quoteFor(payer.address)).toMatchObject({ isSubscribed: true });
    expect(await quoteFor(checkout.newPayer().address)).toMatchObject({ isSubscribed: false });

    // After the end of the agreement, a signature is what it needs.
    const where = { payer: payer.address };
    const [mandate] = await checkout.http.store.records.find('mandates', { where, limit: 1 });
    const change = { set: { revokedAt: checkout.http.now } };
    await checkout.http.store.records.change('mandates', mandate?._id ?? '', {}, change);
    expect(await quoteFor(payer.address)).toMatchObject({ isSubscribed: false });
  });

  it('shows a second visit the first charge that follows it, and a third one no charge before it', async () => {
    const sale = await checkout.offer();
    const payer = checkout.newPayer();
    await checkout.subscribe(sale, payer);
    const visit = async () => {
      checkout.later(1_000);
      const sessionKey = checkout.newKey();
      expect(await checkout.subscribe(sale, payer, { sessionKey })).toMatchObject({ body: { isExisting: true } });
      return async () => (await checkout.get(`/sessions/${sessionKey}`)).body;
    };
    const second = await visit();
    checkout.chain.state = PLENTY;
    await second();
    const [subscription] = await checkout.subscriptions(sale);
    await checkout.payFirstCycle(subscription?._id ?? '');
    const receiptPath = expect.stringMatching(/^\/receipts\/pay_/);
    expect(await second()).toMatchObject({ outcome: { payment: { status: 'settled' }, receiptPath } });
    expect(await (await visit())()).toMatchObject({ outcome: { progress: 'completed', payment: null } });
  });

  it('offers the live subscription to that price instead of a second one, and a new one after its end', async () => {
    const sale = await checkout.offer();
    const payer = checkout.newPayer();
    await checkout.subscribe(sale, payer);
    const [first] = await checkout.subscriptions(sale);
    expect(await checkout.subscribe(sale, payer)).toMatchObject({
      status: 201,
      body: { isExisting: true, outcome: { subscription: { id: first?._id } } },
    });
    await sale.merchant.delete(`/subscriptions/${first?._id}`);
    expect(await checkout.subscribe(sale, payer)).toMatchObject({ status: 201, body: { isExisting: false } });
    expect((await checkout.subscriptions(sale)).map(({ status }) => status).sort()).toEqual(['canceled', 'pending']);
  });

  it('does not change the payer of a live subscription when a wallet signs for another token', async () => {
    const acceptedTokens = ['usdc-local-evm', 'usdt-local-evm'];
    const sale = await checkout.offer({ pricing: [monthly({ acceptedTokens })] });
    const [payer, other] = [checkout.newPayer(), checkout.newPayer()];
    const subscribe = async (tokenKey: string) => {
      const signed = await checkout.signed(sale, payer, {}, { tokenKey });
      expect((await post2(sale, signed)).status).toBe(201);
      return signed.message;
    };
    await subscribe('usdc-local-evm');
    const [made] = await checkout.subscriptions(sale);
    const event = { type: 'payer.authorized', wallet: other.address } as const;
    await checkout.billing.engine.dispatch({ kind: 'subscription', id: made?._id ?? '', event, by: 'checkout' });
    expect(await subscribe('usdt-local-evm')).toContain('9.90 USDT');
    const [now, second] = await checkout.subscriptions(sale);
    expect(second).toBeUndefined();
    expect(now?.context).toMatchObject({ payerWallet: other.address, terms: { tokenKey: 'usdc-local-evm' } });
    await subscribe('usdc-local-evm');
    expect((await checkout.subscriptions(sale))[0]?.context).toMatchObject({ payerWallet: payer.address });
  });

  it('uses the customer with that wallet, and fills only empty fields', async () => {
    const sale = await checkout.offer();
    const payer = checkout.newPayer();
    const wallets = [{ chainFamily: 'evm', address: payer.address }];
    await sale.merchant.post('/customers', { wallets, name: 'Ada' });
    await checkout.subscribe(sale, payer, { collected: { name: 'Other', phone: '+49 30 1' } });
    expect(await checkout.customers(sale)).toMatchObject([{ name: 'Ada', phone: '+49 30 1', email: null }]);
  });

  it('checks the chain at once, and authorizes an existing approval', async () => {
    checkout.chain.state = PLENTY;
    const sale = await checkout.offer({ pricing: [monthly({ trialDays: 14 })], afterCompletion: { thanks: true } });
    expect(await checkout.subscribe(sale, checkout.newPayer())).toMatchObject({
      body: { outcome: { progress: 'completed', waitsFor: null, afterCompletion: { thanks: true } } },
    });
  });

  it("requests the sum over the wallet's authorized live subscriptions after its signature, and not before", async () => {
    checkout.chain.state = PLENTY;
    const merchant = await checkout.merchant();
    const payer = checkout.newPayer();
    const first = await checkout.offer({ name: 'First', pricing: [monthly({ amount: '5', maxCycles: 2 })] }, merchant);
    await checkout.subscribe(first, payer);
    checkout.chain.state = { allowance: 12_000_000n, balance: 10n ** 12n };
    const second = await checkout.offer({ name: 'Second' }, merchant);
    const { offerId, priceId } = second;
    const shownOf = async ({ address }: Payer) => {
      const quote = await checkout.get(`/offers/${offerId}/wallets/${address}?priceId=${priceId}`);
      const shown = JSON.stringify([await checkout.challenge(second, address), quote.body]);
      return shown.replaceAll(address, 'WALLET').replaceAll(/(0x)?[0-9a-f]{32,64}/g, 'RANDOM');
    };
    const shown = await shownOf(payer);
    expect(shown).toContain('"total":"118.80","totalBaseUnits":"118800000","least":"9.90"');
    expect(shown).toBe(await shownOf(checkout.newPayer()));
    const lines = [
      { offerName: 'Second', amount: '9.90', cycles: 12, total: '118.80' },
      { offerName: 'First', amount: '5.00', cycles: 2, total: '10.00' },
    ];
    expect(await checkout.subscribe(second, payer)).toMatchObject({
      body: {
        asked: { lines, total: '128.80', least: '14.90', amount: '9.90' },
        chain: { allowance: '12.00', missingAllowance: '2.90', missingBalance: '0.00' },
      },
    });
  });
});

const OVERTAKEN = 'message was overtaken: its subscription has changed since it was issued; ask for a new challenge';

function post2({ offerId }: { offerId: string }, body: object) {
  return checkout.post(`/offers/${offerId}/subscriptions`, body);
}

describe('POST …/subscriptions refuses', () => {
  it('a message that was used before, whoever sends it', async () => {
    const sale = await checkout.offer();
    const body = await checkout.signed(sale, checkout.newPayer());
    expect((await post2(sale, body)).status).toBe(201);
    const again = await post2(sale, { ...body, sessionKey: checkout.newKey() });
    expectError(again, 400, 'message was used before; ask for a new challenge');
  });

  it('a message that a later signature has overtaken, and leaves no session', async () => {
    const sale = await checkout.offer();
    const payer = checkout.newPayer();
    await checkout.subscribe(sale, payer);
    const older = await checkout.signed(sale, payer);
    checkout.later(60_000);
    await checkout.subscribe(sale, payer);
    const [before] = await checkout.subscriptions(sale);
    for (const reply of [await post2(sale, older), await post2(sale, older)]) expectError(reply, 400, OVERTAKEN);
    expect((await checkout.get(`/sessions/${older.sessionKey}`)).status).toBe(404);
    expect((await checkout.subscriptions(sale))[0]?.context).toEqual(before?.context);
  });

  it('a message for a subscription that has ended since: another one would count the same cycles', async () => {
    const sale = await checkout.offer();
    const payer = checkout.newPayer();
    await checkout.subscribe(sale, payer);
    const [made] = await checkout.subscriptions(sale);
    const older = await checkout.signed(sale, payer);
    await sale.merchant.delete(`/subscriptions/${made?._id}`);
    expectError(await post2(sale, older), 400, OVERTAKEN);
    expect(await checkout.subscriptions(sale)).toHaveLength(1);
    expect(await checkout.subscribe(sale, payer, { sessionKey: older.sessionKey })).toMatchObject({
      status: 201,
      body: { isExisting: false },
    });
  });

  it('a message that has expired', async () => {
    const sale = await checkout.offer();
    const body = await checkout.signed(sale, checkout.newPayer());
    checkout.later(600_000);
    expectError(await post2(sale, body), 400, 'message has expired; ask for a new challenge');
  });

  it('a message that differs in one character, and one of another offer', async () => {
    const sale = await checkout.offer();
    const payer = checkout.newPayer();
    const body = await checkout.signed(sale, payer);
    const message = body.message.replace('9.90 USD', '1.90 USD');
    const error = expect.stringContaining('message is not a challenge for this purchase');
    const tampered = { ...body, message, signature: await payer.signMessage(message) };
    expectError(await post2(sale, tampered), 400, error);
    const other = await checkout.offer();
    expectError(await post2(other, { ...body, priceId: other.priceId }), 400, error);
    const unknown = { ...body, message: 'Nonce: 0123' };
    expectError(await post2(sale, unknown), 400, error);
  });

  it('the signature of another wallet, and a wallet that the message does not name', async () => {
    const sale = await checkout.offer();
    const [payer, other] = [checkout.newPayer(), checkout.newPayer()];
    const body = await checkout.signed(sale, payer);
    const signature = await other.signMessage(body.message);
    const wrong = "signature must be by the wallet in address, for the challenge's typedData";
    for (const each of [signature, '0x', `0x${'00'.repeat(65)}`, 'nonsense']) {
      expectError(await post2(sale, { ...body, signature: each }), 400, wrong);
    }
    expectError(
      await post2(sale, { ...body, address: other.address, signature }),
      400,
      'address is not the wallet of this message',
    );
    const ofText = await payer.signMessage(body.message);
    expectError(
      await post2(sale, { ...body, signature: ofText }),
      400,
      'signature is of message, which authorizes nothing; sign the typedData of the challenge instead',
    );
    expect(await checkout.customers(sale)).toEqual([]);
    expect((await post2(sale, body)).status).toBe(201);
  });

  it('a session key of another offer', async () => {
    const [one, other] = [await checkout.offer(), await checkout.offer()];
    const sessionKey = checkout.newKey();
    await checkout.subscribe(one, checkout.newPayer(), { sessionKey });
    expectError(await checkout.subscribe(other, checkout.newPayer(), { sessionKey }), 409, 'sessionKey already used');
  });

  const permit = { value: '1', deadline: '1', signature: `0x${'11'.repeat(65)}` };
  it.each([
    ['a permit, where the token takes none', { permit }, 'permit is not possible: USDC on Local EVM takes none'],
    ['what is no permit', { permit: { value: 'all' } }, 'permit.value must be base units'],
    ['a transfer', { paymentMethod: 'wallet_transfer', address: undefined }, 'paymentMethod must be wallet_connect'],
    ['no address', { address: undefined }, 'address is required'],
    ['no signature', { signature: undefined }, 'signature is required'],
    ['a short key', { sessionKey: 'short' }, 'sessionKey must be 16 to 100 characters long'],
    ['what is no e-mail address', { collected: { email: 'ada' } }, 'collected.email must be an e-mail address'],
    ['what is not flat', { collected: { more: {} } }, 'collected.more must be a string, a number, true or false'],
    [
      'more than goes into customVariables',
      { collected: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`key${index}`, 1])) },
      'collected must have at most 50 keys',
    ],
  ])('refuses a subscription with %s', async (_what, change, message) => {
    const sale = await checkout.offer();
    expectError(await checkout.subscribe(sale, checkout.newPayer(), change), 400, expect.stringContaining(message));
    expect(await checkout.customers(sale)).toEqual([]);
  });

  it('a one-time option', async () => {
    const sale = await checkout.oneTime();
    expectError(
      await checkout.subscribe(sale, checkout.newPayer()),
      400,
      'priceId is a one-time pricing option; expected a recurring one',
    );
  });

  it.each([
    ['inactive', { active: false }, 'The offer is inactive'],
    ['expired', { expiresAt: '2029-01-01T00:00:00Z' }, 'The offer has expired'],
    ['sold out', { availableQuantity: 0 }, 'The offer is sold out'],
  ])('an offer that is %s', async (_what, change, message) => {
    const sale = await checkout.offer();
    const body = await checkout.signed(sale, checkout.newPayer());
    await sale.merchant.patch(`/offers/${sale.offerId}`, change);
    expectError(await post2(sale, body), 400, expect.stringContaining(message));
  });
});

describe('a wallet that is a contract', () => {
  it('signs by its own method (EIP-1271)', async () => {
    const sale = await checkout.offer();
    const [contract, owner] = [checkout.newPayer(), checkout.newPayer()];
    const { message } = await checkout.challenge(sale, contract.address);
    const signature = await owner.signMessage(message);
    const body = {
      priceId: sale.priceId,
      address: contract.address,
      message,
      signature,
      sessionKey: checkout.newKey(),
    };
    checkout.chain.accepts = () => false;
    expect((await post2(sale, body)).status).toBe(400);
    checkout.chain.accepts = (wallet, _digest, given) => wallet === contract.address && given === signature;
    expect((await post2(sale, body)).status).toBe(201);
    checkout.chain.accepts = () => false;
  });
});

/** The hash that the wallet signs. */
function mandateHashIn(typedData: SignableChallenge['typedData']): string {
  if (typedData === null) throw new Error('the challenge has no typed data');
  const { Mandate } = typedData.types;
  return TypedDataEncoder.hash(typedData.domain, { Mandate }, typedData.message);
}
