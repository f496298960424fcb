import { generateKeyPairSync, sign } from 'node:crypto';
import bs58 from 'bs58';
import type { HDNodeWallet } from 'ethers';
import { z } from 'zod';
import { openPortalSession } from '../../src/billing/portal/sessions.ts';
import { journalOf } from '../../src/engine/journal.ts';
import { minuteOf } from '../../src/store/windows.ts';
import { NOTHING, PLENTY, scriptedChain } from '../../stage/scripted-chain.ts';
import { CheckoutOverHttp, type OnSale } from '../checkout/support/checkout.ts';
import { BOB } from '../support/bodies.ts';
import { cookieOf, expectError, type HttpHarness, idOf, type Reply, startHttp } from '../support/http.ts';

const checkout = await CheckoutOverHttp.start();

beforeEach(() => {
  checkout.chain.state = PLENTY;
  checkout.chain.accepts = () => false;
  checkout.later(60_000);
});

const OWN = { 'X-Portal-Request': '1' } as const;

const challengeReply = z.object({ message: z.string(), expiresAt: z.string() });
const listReply = z.object({
  subscriptions: z.array(z.looseObject({ id: z.string(), merchantName: z.string() })),
  next: z.string().nullable(),
});
const paymentsReply = z.object({ payments: z.array(z.looseObject({ id: z.string() })), next: z.string().nullable() });

function post(path: string, body: object, cookie = '', http: HttpHarness = checkout.http): Promise<Reply> {
  return http.send('POST', `/portal/api${path}`, { body, headers: { ...OWN, cookie } });
}

function get(path: string, cookie: string): Promise<Reply> {
  return checkout.http.send('GET', `/portal/api${path}`, { headers: { cookie } });
}

async function challenge(address: string, http = checkout.http): Promise<string> {
  const { status, body } = await post('/challenges', { address }, '', http);
  if (status !== 201) throw new Error(`no challenge: ${status} ${JSON.stringify(body)}`);
  return challengeReply.parse(body).message;
}

async function signIn(payer: Pick<HDNodeWallet, 'address' | 'signMessage'>): Promise<string> {
  const message = await challenge(payer.address);
  const reply = await post('/session', { message, signature: await payer.signMessage(message) });
  expect(reply.status).toBe(201);
  return cookieOf(reply);
}

async function subscriptionsOf(cookie: string) {
  return listReply.parse((await get('/subscriptions', cookie)).body).subscriptions;
}

/** A subscription of this payer after its first charge. */
async function subscribed(sale: OnSale, payer: HDNodeWallet): Promise<string> {
  const { status, body } = await checkout.subscribe(sale, payer);
  expect(status).toBe(201);
  const { outcome } = z.object({ outcome: z.object({ subscription: z.object({ id: z.string() }) }) }).parse(body);
  await checkout.payFirstCycle(outcome.subscription.id);
  return outcome.subscription.id;
}

async function merchantSees({ merchant }: OnSale, subscriptionId: string) {
  return z.looseObject({ customerId: z.string() }).parse((await merchant.get(`/subscriptions/${subscriptionId}`)).body);
}

async function canceledEvents(subscriptionId: string) {
  const events = await checkout.billing.eventsOf(subscriptionId);
  return events.filter(({ event }) => event === 'subscription.canceled');
}

describe('the text that a wallet signs', () => {
  it('has the grammar of EIP-4361, with the host and page of this installation', async () => {
    const { address } = checkout.newPayer();
    const { status, body } = await post('/challenges', { address: address.toLowerCase() });
    expect(status).toBe(201);
    const { message, expiresAt } = challengeReply.parse(body);
    const [, nonce] = /^Nonce: ([0-9a-f]{32})$/m.exec(message) ?? [];
    expect(message).toBe(
      [
        'pay.example.com wants you to sign in with your Ethereum account:',
        address,
        '',
        'I sign in to see and end my subscriptions. This moves no money and approves no charge.',
        '',
        'URI: https://pay.example.com/portal',
        'Version: 1',
        'Chain ID: 31337',
        `Nonce: ${nonce}`,
        `Issued At: ${checkout.http.now.toISOString()}`,
        `Expiration Time: ${expiresAt}`,
      ].join('\n'),
    );
    expect(Date.parse(expiresAt) - checkout.http.now.getTime()).toBe(600_000);
  });

  it.each([
    [{ address: 'nobody' }, /^address must be an EVM address/],
    [{ address: `0x${'0'.repeat(40)}` }, /^address must not be the zero address/],
    [{ address: BOB, chainId: 1 }, /^chainId must be one of 31337$/],
    [{}, /^address is required/],
  ])('is not made for %j', async (body, error) => {
    expectError(await post('/challenges', body), 400, expect.stringMatching(error));
  });
});

describe('signing in', () => {
  it('opens a session in a cookie that scripts and other sites cannot use; only its hash is stored', async () => {
    const payer = checkout.newPayer();
    const message = await challenge(payer.address);
    const reply = await post('/session', { message, signature: await payer.signMessage(message) });
    const expiresAt = new Date(checkout.http.now.getTime() + 3_600_000).toISOString();
    const session = { kind: 'wallet', wallet: payer.address, merchantName: null, returnUrl: null, expiresAt };
    expect([reply.status, reply.body]).toEqual([201, { session }]);
    expect(reply.headers.get('set-cookie')).toMatch(
      /^tideline_portal=[\w-]{43}; Path=\/portal; Max-Age=3600; HttpOnly; SameSite=Strict; Secure$/,
    );
    const cookie = cookieOf(reply);
    expect((await get('/session', cookie)).body).toMatchObject({
      session,
      chains: [{ chainId: 31_337, chainFamily: 'evm' }],
    });
    const stored = await checkout.http.store.records.find('portalSessions', { where: {}, limit: 100 });
    expect(stored.length).toBeGreaterThan(0);
    expect(JSON.stringify(stored)).not.toContain(cookie.split('=')[1]);
  });

  it('ends on request, and after an hour', async () => {
    const payer = checkout.newPayer();
    const [ended, expired] = [await signIn(payer), await signIn(payer)];
    const reply = await checkout.http.send('DELETE', '/portal/api/session', { headers: { ...OWN, cookie: ended } });
    expect([reply.status, reply.headers.get('set-cookie')]).toEqual([
      200,
      expect.stringContaining('tideline_portal=; Path=/portal; Max-Age=0'),
    ]);
    expect((await get('/subscriptions', ended)).status).toBe(401);
    checkout.later(3_599_999);
    expect((await get('/subscriptions', expired)).status).toBe(200);
    checkout.later(1);
    expect((await get('/subscriptions', expired)).status).toBe(401);
    expect((await get('/session', expired)).body).toMatchObject({ session: null });
  });

  it('takes each text once, also when it is sent twice at the same time', async () => {
    const payer = checkout.newPayer();
    const message = await challenge(payer.address);
    const signature = await payer.signMessage(message);
    const replies = await Promise.all([1, 2, 3].map(() => post('/session', { message, signature })));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 400, 400]);
    expectError(await post('/session', { message, signature }), 400, expect.stringContaining('was used before'));
  });

  it('refuses a text for another host, a changed text, a late one, and one that this service has not made', async () => {
    const payer = checkout.newPayer();
    const message = await challenge(payer.address);
    const other = checkout.newPayer();
    const changed = [
      message.replace('pay.example.com wants', 'evil.example wants'),
      message.replace('URI: https://pay.example.com', 'URI: https://evil.example'),
      message.replace(payer.address, other.address),
      message.replace('approves no charge', 'approves all'),
      message.replace(/Nonce: .*/, `Nonce: ${'0'.repeat(32)}`),
      message.replace(/Expiration Time: .*/, 'Expiration Time: 2099-01-01T00:00:00.000Z'),
      message.replace('Chain ID: 31337', 'Chain ID: 1'),
      `${message}\nResources:\n- https://evil.example`,
      'Hello',
    ];
    for (const text of changed) {
      for (const signer of [payer, other]) {
        const reply = await post('/session', { message: text, signature: await signer.signMessage(text) });
        expectError(reply, 400, expect.stringContaining('not a sign-in of this'));
        expect(reply.headers.has('set-cookie')).toBe(false);
      }
    }
    checkout.later(600_000);
    const late = await post('/session', { message, signature: await payer.signMessage(message) });
    expectError(late, 400, expect.stringContaining('message has expired'));
  });

  it('refuses a signature of another wallet, or of another text, and the text can still be signed', async () => {
    const payer = checkout.newPayer();
    const message = await challenge(payer.address);
    const stranger = await checkout.newPayer().signMessage(message);
    for (const signature of [stranger, await payer.signMessage('Hello'), '0x', 'x', `0x${'11'.repeat(65)}`]) {
      expectError(await post('/session', { message, signature }), 400, expect.stringContaining('signature must be by'));
    }
    expect((await post('/session', { message, signature: await payer.signMessage(message) })).status).toBe(201);
  });

  it('asks the contract of a contract wallet, which owns its address on its own chain alone', async () => {
    const payer = checkout.newPayer();
    const id = await subscribed(await checkout.offer(), payer);
    const message = await challenge(payer.address);
    checkout.chain.accepts = (wallet, _digest, signature) => wallet === payer.address && signature === '0xc0de';
    const reply = await post('/session', { message, signature: '0xc0de' });
    expect(reply.status).toBe(201);
    expect((await subscriptionsOf(cookieOf(reply))).map((each) => each.id)).toEqual([id]);

    const deps = { store: checkout.http.store, clock: () => checkout.http.now };
    const subject = { kind: 'wallet', family: 'evm', wallet: payer.address, chainId: 8453 } as const;
    const { secret } = await openPortalSession(deps, subject);
    const elsewhere = `tideline_portal=${secret}`;
    expect(await subscriptionsOf(elsewhere)).toEqual([]);
    expect((await get(`/subscriptions/${id}`, elsewhere)).status).toBe(404);
    expect(paymentsReply.parse((await get('/payments', elsewhere)).body).payments).toEqual([]);
  });

  it('is the same for a Solana wallet, which signs the text itself', async () => {
    const solana = { ...scriptedChain(), chainId: 101, family: 'solana' } as const;
    const http = await startHttp({ chains: [scriptedChain(), solana] });
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const address = bs58.encode(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
    const message = await challenge(address, http);
    expect(message.split('\n').slice(0, 2)).toEqual([
      'pay.example.com wants you to sign in with your Solana account:',
      address,
    ]);
    const signed = (text: string) => bs58.encode(sign(null, Buffer.from(text), privateKey));
    expect((await post('/session', { message, signature: signed(`${message} `) }, '', http)).status).toBe(400);
    const reply = await post('/session', { message, signature: signed(message) }, '', http);
    expect([reply.status, reply.body]).toMatchObject([201, { session: { wallet: address } }]);
  });
});

it('says whom later invoices name, to the customer alone, who corrects that', async () => {
  const { records } = checkout.http.store;
  const [sale, payer] = [await checkout.offer(), checkout.newPayer()];
  const id = await subscribed(sale, payer);
  const cookie = await signIn(payer);
  const details = { name: 'Ada GmbH', address: 'Main Street 1', country: 'DE', taxId: null };
  const correct = (body: object) => post(`/subscriptions/${id}/invoice-details`, body, cookie);
  expectError(await correct(details), 409, expect.stringContaining('Only the merchant can change'));
  const { customerId } = await merchantSees(sale, id);
  const invoicing = { since: checkout.http.now, country: 'DE', currency: 'EUR', taxRate: '19', taxRates: {} };
  await records.change('merchants', sale.merchant.id, {}, { set: { invoicing } });
  expect((await correct(details)).body).toMatchObject({ invoicedTo: details });
  expect((await checkout.billing.eventsOf(customerId)).at(-1)?.event).toBe('customer.updated');
  expectError(await correct({ country: 'Germany' }), 400, expect.stringContaining('country'));
  await records.change('customers', customerId, {}, { set: { wallets: [] } });
  expect((await get(`/subscriptions/${id}`, cookie)).body).toMatchObject({ invoicedTo: null });
  expectError(await correct(details), 409, expect.stringContaining('Only the merchant can change'));
});

describe('without a session', () => {
  it.each([
    ['GET', '/subscriptions'],
    ['GET', '/subscriptions/sub_x'],
    ['POST', '/subscriptions/sub_x/cancel'],
    ['POST', '/subscriptions/sub_x/resume'],
    ['POST', '/subscriptions/sub_x/authorization'],
    ['POST', '/subscriptions/sub_x/invoice-details'],
    ['POST', '/subscriptions/sub_x/revocation'],
    ['GET', '/payments'],
    ['GET', '/payments/pay_x/proof'],
  ])('answers 401 to %s %s', async (method, path) => {
    for (const cookie of ['', `tideline_portal=${'a'.repeat(43)}`, 'tideline_portal=x']) {
      const reply = await checkout.http.send(method, `/portal/api${path}`, { headers: { ...OWN, cookie } });
      expectError(reply, 401, 'Unauthorized');
    }
  });

  it('is limited per address', async () => {
    const { resetAt } = minuteOf(checkout.http.now);
    const replies = await Promise.all(Array.from({ length: 121 }, () => post('/session', {})));
    const limited = replies.filter(({ status }) => status === 429);
    expect(limited).toHaveLength(1);
    expect(limited[0]?.headers.get('x-ratelimit-reset')).toBe(String(resetAt.getTime() / 1_000));
  });
});

describe('a change with a session', () => {
  it('needs a header that another site cannot send', async () => {
    const payer = checkout.newPayer();
    const id = await subscribed(await checkout.offer(), payer);
    const cookie = await signIn(payer);
    const path = `/portal/api/subscriptions/${id}/cancel`;
    const body = { atPeriodEnd: false };
    for (const headers of [{ cookie }, { ...OWN, cookie, 'Sec-Fetch-Site': 'cross-site' }]) {
      expect((await checkout.http.send('POST', path, { body, headers })).status).toBe(403);
    }
    expect((await subscriptionsOf(cookie))[0]?.['status']).toBe('active');
  });
});

describe('a wallet that has signed in', () => {
  it('sees what it pays at every merchant, and nothing of another wallet', async () => {
    const [ada, bob] = [checkout.newPayer(), checkout.newPayer()];
    const beans = await checkout.merchant('Beans');
    const { logoPath } = await checkout.brand(beans);
    const coffee = await checkout.offer({ name: 'Coffee Club' }, beans);
    const tea = await checkout.offer({ name: 'Tea Club' }, await checkout.merchant('Leaves'));
    const [adasCoffee, adasTea] = [await subscribed(coffee, ada), await subscribed(tea, ada)];
    const bobs = await subscribed(coffee, bob);
    const [asAda, asBob] = [await signIn(ada), await signIn(bob)];
    expect((await subscriptionsOf(asAda)).map(({ id }) => id).toSorted()).toEqual([adasCoffee, adasTea].toSorted());
    expect((await subscriptionsOf(asBob)).map(({ id }) => id)).toEqual([bobs]);

    const { body } = await get(`/subscriptions/${adasCoffee}`, asAda);
    expect(body).toMatchObject({
      merchantName: 'Beans',
      logoPath,
      offerName: 'Coffee Club',
      status: 'active',
      isSandbox: true,
      price: { amount: '9.90', currency: 'USD', interval: 'month', intervalCount: 1 },
      ticker: 'USDC',
      cancelAt: null,
      hasEnd: true,
      discount: null,
      ended: null,
      cyclesCompleted: 1,
      nextCharge: { at: expect.any(String), price: { amount: '9.90' } },
      asked: { playing: { chainId: 31_337 }, lines: [{ offerName: 'Coffee Club' }] },
      chain: { wallet: ada.address },
      mandate: { payer: ada.address, perCharge: '9.90' },
    });
    const { payments } = paymentsReply.parse((await get(`/payments?subscriptionId=${adasCoffee}`, asAda)).body);
    expect(payments).toMatchObject([
      {
        subscriptionId: adasCoffee,
        merchantName: 'Beans',
        offerName: 'Coffee Club',
        amount: '9.90',
        ticker: 'USDC',
        network: 'Local EVM',
        status: 'settled',
        txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        explorerUrl: null,
        hasProof: true,
      },
    ]);
    expect(paymentsReply.parse((await get('/payments', asAda)).body).payments).toHaveLength(2);

    const proof = `/payments/${payments[0]?.id}/proof`;
    // Its charge is not on a chain here, so a proof that may be seen is a 409.
    expect([(await get(proof, asAda)).status, (await get(proof, asBob)).status]).toEqual([409, 404]);
    expect(paymentsReply.parse((await get(`/payments?subscriptionId=${adasCoffee}`, asBob)).body).payments).toEqual([]);
    const denied = await Promise.all([
      get(`/subscriptions/${adasCoffee}`, asBob),
      post(`/subscriptions/${adasCoffee}/cancel`, { atPeriodEnd: false }, asBob),
      post(`/subscriptions/${adasCoffee}/resume`, {}, asBob),
      post(`/subscriptions/${adasCoffee}/authorization`, {}, asBob),
      post(`/subscriptions/${adasCoffee}/revocation`, { address: bob.address }, asBob),
    ]);
    expect(denied.map(({ status, body: text }) => [status, text])).toEqual(
      denied.map(() => [404, { error: 'Not found' }]),
    );
    for (const path of ['/subscriptions', '/payments']) {
      const reply = await get(`${path}?startingAfter=${path === '/payments' ? payments[0]?.id : adasCoffee}`, asBob);
      expect([path, reply.status]).toEqual([path, 400]);
    }
    expect(await merchantSees(coffee, adasCoffee)).toMatchObject({ status: 'active', cancelAt: null });
  });

  it('ends a subscription at the end of its period, takes that back, and ends it now', async () => {
    const payer = checkout.newPayer();
    const sale = await checkout.offer();
    const id = await subscribed(sale, payer);
    const cookie = await signIn(payer);
    const scheduled = await post(`/subscriptions/${id}/cancel`, { atPeriodEnd: true }, cookie);
    expect(scheduled).toMatchObject({ status: 200, body: { status: 'active', nextCharge: null } });
    const seen = await merchantSees(sale, id);
    expect(seen['cancelAt']).toBe(seen['currentPeriodEnd']);
    expect(scheduled.body).toMatchObject({ cancelAt: seen['cancelAt'] });
    expect(seen).toMatchObject({ canceledBy: 'payer', canceledAt: null });

    const resumed = await post(`/subscriptions/${id}/resume`, {}, cookie);
    expect(resumed).toMatchObject({ status: 200, body: { status: 'active', cancelAt: null } });
    expect(await merchantSees(sale, id)).toMatchObject({ status: 'active', cancelAt: null, canceledBy: null });
    const again = await post(`/subscriptions/${id}/resume`, {}, cookie);
    expectError(again, 409, expect.stringContaining('nothing to take back'));
    expect(await canceledEvents(id)).toEqual([]);

    const ended = await post(`/subscriptions/${id}/cancel`, { atPeriodEnd: false }, cookie);
    expect(ended).toMatchObject({
      status: 200,
      body: { status: 'canceled', hasEnd: false, ended: { reason: 'requested' } },
    });
    const canceledAt = checkout.http.now.toISOString();
    expect(await merchantSees(sale, id)).toMatchObject({ status: 'canceled', canceledBy: 'payer', canceledAt });
    await checkout.billing.quiet();
    expect(await canceledEvents(id)).toHaveLength(1);
    const [doc] = await checkout.http.store.actors.load('subscription', [id]);
    if (!doc) throw new Error(`${id} is not stored`);
    const journal = await journalOf(checkout.http.store, doc);
    expect(journal.filter(({ by }) => by === 'payer').map(({ event }) => event.type)).toEqual([
      'cancel.requested',
      'resume.requested',
      'cancel.requested',
    ]);

    const refused = await Promise.all([
      post(`/subscriptions/${id}/cancel`, { atPeriodEnd: false }, cookie),
      post(`/subscriptions/${id}/cancel`, { atPeriodEnd: true }, cookie),
      post(`/subscriptions/${id}/resume`, {}, cookie),
      post(`/subscriptions/${id}/authorization`, {}, cookie),
    ]);
    expect(refused.map(({ status, body }) => [status, body])).toEqual([
      [409, { error: 'Subscription is canceled; cancel needs pending, active or past_due' }],
      [409, { error: 'Subscription is canceled; cancel needs pending, active or past_due' }],
      [409, { error: expect.stringContaining('Subscription is canceled; resume needs') }],
      [409, { error: expect.stringContaining('has ended') }],
    ]);
  });

  it('cannot end at the end of a period that nothing has paid', async () => {
    const payer = checkout.newPayer();
    const sale = await checkout.offer();
    checkout.chain.state = NOTHING;
    await checkout.subscribe(sale, payer);
    const cookie = await signIn(payer);
    const [pending] = await subscriptionsOf(cookie);
    expect(pending).toMatchObject({ status: 'pending', hasEnd: false });
    const reply = await post(`/subscriptions/${pending?.id}/cancel`, { atPeriodEnd: true }, cookie);
    expectError(reply, 409, expect.stringContaining('No paid period is running'));
    expect((await post(`/subscriptions/${pending?.id}/cancel`, { atPeriodEnd: false }, cookie)).status).toBe(200);
  });

  it('gets a link at which another wallet takes the subscription over, and sees it no more', async () => {
    const [ada, bob] = [checkout.newPayer(), checkout.newPayer()];
    const sale = await checkout.offer();
    const id = await subscribed(sale, ada);
    const [asAda, asBob] = [await signIn(ada), await signIn(bob)];
    const reply = await post(`/subscriptions/${id}/authorization`, {}, asAda);
    expect(reply.status).toBe(201);
    const { url } = z.object({ url: z.string() }).parse(reply.body);
    const [, token = ''] = /^https:\/\/pay\.example\.com\/checkout\/authorize\/([\w-]{43})$/.exec(url) ?? [];
    expect((await checkout.authorize(token, bob)).status).toBe(200);
    expect(await subscriptionsOf(asAda)).toEqual([]);
    expect((await subscriptionsOf(asBob)).map((each) => each.id)).toEqual([id]);
    // The receipts stay with the wallet that paid.
    const paid = async (cookie: string) => paymentsReply.parse((await get('/payments', cookie)).body).payments.length;
    expect([await paid(asAda), await paid(asBob)]).toEqual([1, 0]);
    expect((await get(`/subscriptions/${id}`, asBob)).body).toMatchObject({ outcome: { payment: null } });
  });

  it('gets its list in pages', async () => {
    const payer = checkout.newPayer();
    const customer = { wallets: [{ chainFamily: 'evm', address: payer.address }] };
    const sale = await checkout.offer();
    const { merchant, priceId } = sale;
    const customerId = idOf(await merchant.post('/customers', customer));
    for (let count = 0; count < 21; count += 1) {
      await merchant.post('/subscriptions', { customerId, priceId });
    }
    const cookie = await signIn(payer);
    const first = listReply.parse((await get('/subscriptions', cookie)).body);
    expect(first.subscriptions).toHaveLength(20);
    const second = listReply.parse((await get(`/subscriptions?startingAfter=${first.next}`, cookie)).body);
    expect([second.subscriptions.length, second.next]).toEqual([1, null]);
    const ids = [...first.subscriptions, ...second.subscriptions].map(({ id }) => id);
    expect(new Set(ids).size).toBe(21);
  });
});

describe("a merchant's link", () => {
  async function linkFor(
    { merchant }: Pick<OnSale, 'merchant'>,
    customerId: string,
    body: object = {},
  ): Promise<string> {
    const reply = await merchant.post(`/customers/${customerId}/portal-session`, body);
    expect(reply.status).toBe(201);
    const { url, expiresAt } = z.object({ url: z.string(), expiresAt: z.string() }).parse(reply.body);
    expect(Date.parse(expiresAt) - checkout.http.now.getTime()).toBe(3_600_000);
    const [, token = ''] = /^https:\/\/pay\.example\.com\/portal#session=([\w-]{43})$/.exec(url) ?? [];
    return token;
  }

  async function customerOf(sale: OnSale, payer: HDNodeWallet): Promise<string> {
    const path = `/customers?walletAddress=${payer.address}`;
    const { body } = await sale.merchant.get(path);
    return z.object({ customers: z.array(z.object({ id: z.string() })) }).parse(body).customers[0]?.id ?? '';
  }

  it('opens the portal for that customer of that merchant alone, without a signature', async () => {
    const [ada, bob] = [checkout.newPayer(), checkout.newPayer()];
    const coffee = await checkout.offer({ name: 'Coffee Club' }, await checkout.merchant('Beans'));
    const tea = await checkout.offer({ name: 'Tea Club' }, await checkout.merchant('Leaves'));
    const adas = await subscribed(coffee, ada);
    const hidden = [await subscribed(coffee, bob), await subscribed(tea, ada)];
    const returnUrl = 'https://shop.example.com/account';
    const token = await linkFor(coffee, await customerOf(coffee, ada), { returnUrl });
    const opened = await post('/session/link', { token });
    expect([opened.status, opened.body]).toMatchObject([
      201,
      { session: { kind: 'customer', wallet: null, merchantName: 'Beans', returnUrl } },
    ]);
    const cookie = cookieOf(opened);
    expect((await subscriptionsOf(cookie)).map(({ id }) => id)).toEqual([adas]);
    for (const id of hidden) expect((await get(`/subscriptions/${id}`, cookie)).status).toBe(404);
    const { payments } = paymentsReply.parse((await get('/payments', cookie)).body);
    expect(payments).toMatchObject([{ subscriptionId: adas }]);
    expect((await post(`/subscriptions/${adas}/cancel`, { atPeriodEnd: false }, cookie)).status).toBe(200);
    expect(await merchantSees(coffee, adas)).toMatchObject({ status: 'canceled' });
  });

  it("does not show what the wallet's other subscriptions need, as that wallet sees it", async () => {
    const payer = checkout.newPayer();
    const sale = await checkout.offer();
    const id = await subscribed(sale, payer);
    await subscribed(await checkout.offer({}, sale.merchant), payer);
    const opened = await post('/session/link', { token: await linkFor(sale, await customerOf(sale, payer)) });
    const seen = async (cookie: string) => (await get(`/subscriptions/${id}`, cookie)).body;
    expect(await seen(await signIn(payer))).toMatchObject({ asked: { total: '237.60' } });
    expect(await seen(cookieOf(opened))).toMatchObject({ asked: { total: '118.80' } });
  });

  it('opens nothing after an hour, for a deleted customer, or with the secret of a wallet', async () => {
    const payer = checkout.newPayer();
    const sale = await checkout.offer();
    await subscribed(sale, payer);
    const customerId = await customerOf(sale, payer);
    const [late, gone] = [await linkFor(sale, customerId), await linkFor(sale, customerId)];
    const cookie = cookieOf(await post('/session/link', { token: gone }));
    const [, secretOfWallet = ''] = (await signIn(payer)).split('=');
    await sale.merchant.delete(`/customers/${customerId}`);
    expect((await get('/subscriptions', cookie)).status).toBe(401);
    checkout.later(3_600_000);
    for (const token of [gone, late, secretOfWallet, 'x']) {
      const reply = await post('/session/link', { token });
      expectError(reply, 400, expect.stringContaining('ask the merchant'));
      expect(reply.headers.has('set-cookie')).toBe(false);
    }
  });

  it.each([
    ['http://localhost:8080/account', 201],
    ['https://shop.example.com', 201],
    ['http://shop.example.com', 400],
    ['javascript:alert(1)', 400],
    ['/account', 400],
    ['', 400],
  ])('leads back to %s: %s', async (returnUrl, status) => {
    const merchant = await checkout.merchant();
    const customerId = idOf(await merchant.post('/customers', {}));
    const body = { returnUrl };
    expect((await merchant.post(`/customers/${customerId}/portal-session`, body)).status).toBe(status);
  });

  it('leads back to a machine of its own with a test key only', async () => {
    const { liveKey: key } = await checkout.http.merchant();
    const customerId = idOf(await checkout.http.call('POST', '/customers', { key, body: {} }));
    const body = { returnUrl: 'http://localhost:8080/account' };
    const path = `/customers/${customerId}/portal-session`;
    expect((await checkout.http.call('POST', path, { key, body })).status).toBe(400);
  });
});
