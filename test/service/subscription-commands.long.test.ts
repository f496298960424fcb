import { createHash } from 'node:crypto';
import { Interface, Wallet } from 'ethers';
import { z } from 'zod';
import { tokenNamed, walletNamed } from '../../scripts/lib/devnet-facts.ts';
import type { Store } from '../../src/store/port.ts';
import type { Answer, MerchantClient } from '../../stage/merchant-client.ts';
import { receiptOf } from '../../stage/receipt.ts';
import { openShop, PLAYING_TOKEN_KEY, type Shop, TOKEN_KEY } from '../../stage/sale.ts';
import { until } from '../../stage/until.ts';
import { withoutGas } from '../../stage/without-gas.ts';
import { expectSoundJournals, testMerchant, useStage } from '../support/stage.ts';

/** A merchant's commands for subscriptions and payments, against one real process with its database and chain. */
let store: Store;

const stage = useStage({}, async (opened) => {
  store = await opened.store();
});

interface Seller {
  readonly merchant: MerchantClient;
  readonly shop: Shop;
}

/** A new merchant with its own limits, whose payers have all approved. */
async function seller(payers = 1): Promise<Seller> {
  const merchant = await testMerchant(stage());
  return { merchant, shop: await openShop(merchant, stage().chain.facts, { payers }) };
}

function text(answer: Answer, field: string): string {
  return z.string().parse(answer[field]);
}

/** A subscription to the shop's offer by the payer with this number, paid once. */
async function subscribed({ merchant, shop }: Seller, payer = 0): Promise<string> {
  const { priceId, payers } = shop;
  const id = text(
    await merchant.call('POST', '/subscriptions', { priceId, customerId: payers[payer]?.customerId }),
    'id',
  );
  await merchant.call('POST', '/sandbox/advance', { subscriptionId: id, status: 'active' });
  return id;
}

/** A renewal that the sandbox made fail: the payer has enough, and the service waits for the next day. */
async function pastDue(of: Seller): Promise<string> {
  const id = await subscribed(of);
  await of.merchant.call('POST', '/sandbox/advance', { subscriptionId: id, status: 'past_due' });
  return id;
}

/** The subscription in GET /subscriptions. */
async function shown({ merchant }: Seller, id: string): Promise<Answer> {
  const { subscriptions } = await merchant.call('GET', '/subscriptions?limit=100');
  const found = z.array(z.looseObject({ id: z.string() })).parse(subscriptions);
  return found.find((each) => each.id === id) ?? {};
}

/** The answer with any status. */
async function answerOf(merchant: MerchantClient, method: string, path: string, body?: object, key = merchant.testKey) {
  const response = await fetch(`${stage().service.url}/v1${path}`, {
    method,
    headers: { 'X-API-Key': key },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

function said(status: number, error: string): { status: number; text: string } {
  return { status, text: JSON.stringify({ error }) };
}

const erc20 = new Interface(['function approve(address spender, uint256 amount) returns (bool)']);
const currencies = z.object({
  chains: z.array(z.object({ operator: z.string().nullable(), tokens: z.array(z.object({ key: z.string() })) })),
});

/** Sets this test wallet's allowance for the merchant's operator, base units. */
async function approve({ merchant }: Seller, wallet: string, amount: bigint): Promise<void> {
  const { chains } = currencies.parse(await merchant.call('GET', '/currencies'));
  const operator = chains.find(({ tokens }) => tokens.some(({ key }) => key === TOKEN_KEY))?.operator;
  const { facts, provider } = stage().chain;
  const data = erc20.encodeFunctionData('approve', [operator, amount]);
  const signer = new Wallet(walletNamed(facts, wallet).privateKey, provider);
  const { hash } = await signer.sendTransaction({ to: tokenNamed(facts, PLAYING_TOKEN_KEY), data });
  await receiptOf(provider, hash);
}

describe('cancel', () => {
  it('at period end, twice, changes it once; resume undoes it once', async () => {
    const of = await seller();
    const id = await subscribed(of);
    const { merchant } = of;
    const scheduled = await merchant.call('POST', `/subscriptions/${id}/cancel`, { atPeriodEnd: true });
    expect(scheduled).toMatchObject({ status: 'active', cancelAt: scheduled['currentPeriodEnd'] });
    const again = await merchant.call('POST', `/subscriptions/${id}/cancel`, { atPeriodEnd: true });
    expect(again).toEqual(scheduled);

    expect(await merchant.call('POST', `/subscriptions/${id}/resume`)).toMatchObject({ id, status: 'active' });
    expect(await shown(of, id)).toMatchObject({ cancelAt: null, currentPeriodEnd: scheduled['currentPeriodEnd'] });
    expect(await answerOf(merchant, 'POST', `/subscriptions/${id}/resume`)).toEqual(
      said(409, 'Subscription is active; resume needs pending, past_due, or active with a scheduled cancel'),
    );
  });

  it('by DELETE is immediate and final', async () => {
    const of = await seller();
    const id = await subscribed(of);
    const { merchant } = of;
    expect(await merchant.call('DELETE', `/subscriptions/${id}`)).toMatchObject({ id, status: 'canceled' });
    expect(await shown(of, id)).toMatchObject({ status: 'canceled', cyclesCompleted: 1 });
    for (const [method, path, name] of [
      ['DELETE', '', 'cancel'],
      ['POST', '/cancel', 'cancel'],
      ['POST', '/retry', 'retry'],
      ['POST', '/resume', 'resume'],
    ] as const) {
      const { status, text: body } = await answerOf(merchant, method, `/subscriptions/${id}${path}`);
      expect([status, body]).toEqual([409, expect.stringContaining(`Subscription is canceled; ${name} needs `)]);
    }
  });
});

describe('custom variables', () => {
  it('are replaced in every status', async () => {
    const of = await seller();
    const { merchant, shop } = of;
    const body = { priceId: shop.priceId, customerId: shop.payers[0]?.customerId, customVariables: { a: 1, b: 2 } };
    const id = text(await merchant.call('POST', '/subscriptions', body), 'id');
    const replace = (step: string) => merchant.call('PATCH', `/subscriptions/${id}`, { customVariables: { step } });
    expect(await replace('made')).toMatchObject({ customVariables: { step: 'made' } });
    await merchant.call('POST', '/sandbox/advance', { subscriptionId: id, status: 'active' });
    expect(await replace('paid')).toMatchObject({ status: 'active', customVariables: { step: 'paid' } });
    await merchant.call('POST', '/sandbox/advance', { subscriptionId: id, status: 'past_due' });
    expect(await replace('late')).toMatchObject({ status: 'past_due', customVariables: { step: 'late' } });
    await merchant.call('DELETE', `/subscriptions/${id}`);
    expect(await replace('over')).toMatchObject({ status: 'canceled', customVariables: { step: 'over' } });
    expect(await merchant.call('GET', `/subscriptions/${id}`)).toMatchObject({ customVariables: { step: 'over' } });
  });
});

describe('retry', () => {
  it('recovers a past due subscription with one attempt, and answers with its result', async () => {
    const of = await seller();
    const id = await pastDue(of);
    const { merchant } = of;
    expect(await merchant.call('POST', `/subscriptions/${id}/retry`)).toMatchObject({
      id,
      status: 'active',
      cyclesCompleted: 2,
      consecutiveFailures: 0,
      lastInvoice: { status: 'settled', failureReason: null, grossAmount: '10.00' },
    });
    expect(await paymentsOf(of, id)).toEqual([
      ['settled', 2],
      ['settled', 1],
    ]);
    expect(await answerOf(merchant, 'POST', `/subscriptions/${id}/retry`)).toEqual(
      said(409, 'Subscription is active; retry needs a failed or blocked charge, with no attempt in flight'),
    );
  });

  it('counts a failed attempt, even of a first charge', async () => {
    const { merchant, shop } = await seller();
    const wallets = [{ chainFamily: 'evm', address: stage().chain.addressOf('empty') }];
    const customerId = text(await merchant.call('POST', '/customers', { wallets }), 'id');
    const id = text(await merchant.call('POST', '/subscriptions', { priceId: shop.priceId, customerId }), 'id');
    await until(
      `${id} has failed once`,
      () => merchant.call('GET', `/subscriptions/${id}`),
      ({ consecutiveFailures }) => consecutiveFailures === 1,
    );
    expect(await merchant.call('POST', `/subscriptions/${id}/retry`)).toMatchObject({
      status: 'pending',
      consecutiveFailures: 2,
      lastInvoice: { status: 'failed', failureReason: 'insufficient_balance' },
    });
  });

  it('is refused without an authorization', async () => {
    const { merchant, shop } = await seller();
    const customerId = text(await merchant.call('POST', '/customers', {}), 'id');
    const id = text(await merchant.call('POST', '/subscriptions', { priceId: shop.priceId, customerId }), 'id');
    const { status, text: body } = await answerOf(merchant, 'POST', `/subscriptions/${id}/retry`);
    expect([status, body]).toEqual([
      409,
      expect.stringContaining('Subscription is pending; retry needs a failed or blocked charge'),
    ]);
  });
});

describe('resume', () => {
  it('makes one attempt if the chain shows that it would succeed', async () => {
    const of = await seller();
    const id = await pastDue(of);
    expect(await of.merchant.call('POST', `/subscriptions/${id}/resume`)).toMatchObject({
      status: 'active',
      consecutiveFailures: 0,
      lastInvoice: { status: 'settled' },
    });
    expect(await paymentsOf(of, id)).toEqual([
      ['settled', 2],
      ['settled', 1],
    ]);
  });

  it('after a new approval makes it active by one attempt, whoever saw the approval first', async () => {
    const of = await seller(2);
    const { merchant } = of;
    const id = await subscribed(of, 1);
    await approve(of, 'payer-1', 0n);
    await merchant.call('POST', '/sandbox/advance', { subscriptionId: id });
    expect(await merchant.call('POST', `/subscriptions/${id}/resume`)).toMatchObject({
      status: 'past_due',
      allowanceConfirmed: false,
      consecutiveFailures: 1,
      lastInvoice: { status: 'failed', failureReason: 'insufficient_allowance' },
    });

    await approve(of, 'payer-1', 100_000_000n);
    expect(await merchant.call('POST', `/subscriptions/${id}/resume`)).toMatchObject({
      status: 'active',
      consecutiveFailures: 0,
      lastInvoice: { status: 'settled' },
    });
    expect(await paymentsOf(of, id)).toEqual([
      ['settled', 2],
      ['settled', 1],
    ]);
  });

  it('in a trial clears the cancel and charges nothing before its end', async () => {
    const { merchant, shop } = await seller();
    const offer = await merchant.call('POST', '/offers', {
      name: 'With a trial',
      pricing: [{ ...option('10.00'), trialDays: 7 }],
    });
    const body = { priceId: priceIdsOf(offer)[0], customerId: shop.payers[0]?.customerId };
    const made = await merchant.call('POST', '/subscriptions', body);
    const id = text(made, 'id');
    const canceled = await merchant.call('POST', `/subscriptions/${id}/cancel`, { atPeriodEnd: true });
    expect(canceled).toMatchObject({ status: 'pending', cancelAt: made['trialEnd'] });
    expect(await merchant.call('POST', `/subscriptions/${id}/resume`)).toMatchObject({
      status: 'pending',
      currentPeriodEnd: made['trialEnd'],
      allowanceConfirmed: true,
      lastInvoice: null,
    });
  });
});

/** Status and attempts of its payments, the newest first. */
async function paymentsOf({ merchant }: Seller, id: string): Promise<[string, number][]> {
  const { payments } = await merchant.call('GET', `/payments?subscriptionId=${id}`);
  const listed = z.array(z.object({ status: z.string(), attempts: z.number() })).parse(payments);
  return listed.map(({ status, attempts }) => [status, attempts]);
}

function option(amount: string, more: object = {}): object {
  return { amount, acceptedTokens: [TOKEN_KEY], billing: { type: 'recurring', interval: 'month' }, ...more };
}

function priceIdsOf(offer: Answer): string[] {
  const { pricing } = z.object({ pricing: z.array(z.object({ id: z.string() })) }).parse(offer);
  return pricing.map(({ id }) => id);
}

/** The token of a link, and its stored document. */
async function storedLink(url: string) {
  const prefix = `${stage().service.url}/checkout/authorize/`;
  expect(url.startsWith(prefix)).toBe(true);
  const token = url.slice(prefix.length);
  expect(token).toMatch(/^[\w-]{43}$/);
  const [link] = await store.records.get('authorizations', [createHash('sha256').update(token).digest('hex')]);
  expect(JSON.stringify(link)).not.toContain(token);
  return link;
}

describe('the link by which a payer authorizes', () => {
  it('is in the answer, new in each replay while it is pending, and in no later read', async () => {
    const of = await seller();
    const { merchant, shop } = of;
    const body = { priceId: shop.priceId, customerId: shop.payers[0]?.customerId, idempotencyKey: 'linked' };
    const made = await merchant.call('POST', '/subscriptions', body);
    const id = text(made, 'id');
    const first = await storedLink(text(made, 'authorizationUrl'));
    expect(first).toMatchObject({ subscriptionId: id, merchantId: merchant.id, purpose: { kind: 'subscription' } });
    expect((first?.expiresAt.getTime() ?? 0) - (first?.createdAt.getTime() ?? 0)).toBe(30 * 86_400_000);
    expect(await shown(of, id)).toMatchObject({ authorizationUrl: null });

    await merchant.call('POST', '/sandbox/advance', { subscriptionId: id, status: 'active' });
    expect(await merchant.call('POST', '/subscriptions', body)).toMatchObject({ id, authorizationUrl: null });

    const later = { ...body, customerId: text(await merchant.call('POST', '/customers', {}), 'id') };
    const waiting = await merchant.call('POST', '/subscriptions', { ...later, idempotencyKey: 'waiting' });
    const replayed = await merchant.call('POST', '/subscriptions', { ...later, idempotencyKey: 'waiting' });
    expect(replayed['id']).toBe(waiting['id']);
    expect(replayed['authorizationUrl']).not.toBe(waiting['authorizationUrl']);
    for (const url of [text(waiting, 'authorizationUrl'), text(replayed, 'authorizationUrl')]) {
      expect(await storedLink(url)).toMatchObject({ subscriptionId: waiting['id'] });
    }
  });
});

describe('migrate', () => {
  async function offering(): Promise<Seller & { readonly id: string; readonly prices: readonly string[] }> {
    const of = await seller();
    const offer = await of.merchant.call('POST', '/offers', {
      name: 'Plans',
      pricing: [
        option('5.00'),
        option('8.00', { billing: { type: 'recurring', interval: 'year' } }),
        option('9.00', { acceptedTokens: ['usdt-polygon', 'usdc-polygon'] }),
        option('20.00', { billing: { type: 'one_time' } }),
        option('7.00'),
      ],
    });
    const prices = priceIdsOf(offer);
    await of.merchant.call('DELETE', `/offers/${text(offer, 'id')}/pricing/${prices[4]}`);
    const shop = { ...of.shop, priceId: prices[0] ?? '' };
    return { ...of, shop, prices, id: await subscribed({ ...of, shop }) };
  }

  it('records the intent, bills the present terms, and is replaced by a second one', async () => {
    const { id, prices, ...of } = await offering();
    const { merchant } = of;
    const [present, yearly, polygon] = prices;
    const first = await merchant.call('POST', `/subscriptions/${id}/migrate`, { priceId: yearly });
    expect(first).toEqual({
      id,
      status: 'pending_authorization',
      priceId: yearly,
      pendingOfferPriceId: yearly,
      pendingPriceId: yearly,
      authorizationUrl: expect.any(String),
    });
    expect(await storedLink(text(first, 'authorizationUrl'))).toMatchObject({
      subscriptionId: id,
      purpose: { kind: 'migration', priceId: yearly, tokenKey: TOKEN_KEY },
    });
    expect(await shown(of, id)).toMatchObject({
      offerPriceId: present,
      pendingOfferPriceId: yearly,
      priceAmount: '5.00',
    });
    await merchant.call('POST', '/sandbox/charge', { subscriptionId: id });
    expect(await merchant.call('GET', `/subscriptions/${id}`)).toMatchObject({ lastInvoice: { grossAmount: '5.00' } });

    const body = { priceId: polygon, tokenKey: 'usdc-polygon' };
    const second = await merchant.call('POST', `/subscriptions/${id}/migrate`, body);
    expect(await storedLink(text(second, 'authorizationUrl'))).toMatchObject({
      purpose: { kind: 'migration', priceId: polygon, tokenKey: 'usdc-polygon' },
    });
    expect(await shown(of, id)).toMatchObject({ offerPriceId: present, pendingOfferPriceId: polygon });
    await merchant.call('POST', '/sandbox/advance', { subscriptionId: id, days: 31 });
    expect(await shown(of, id)).toMatchObject({
      offerPriceId: present,
      pendingOfferPriceId: null,
      priceAmount: '5.00',
    });
  });

  it('answers every conflict with 400', async () => {
    const { id, prices, merchant, shop } = await offering();
    const [present, yearly, polygon, oneTime, retired] = prices;
    const other = await merchant.call('POST', '/offers', { name: 'Another', pricing: [option('6.00')] });
    const refusals: readonly (readonly [object, string])[] = [
      [{ priceId: present }, "priceId is the subscription's present pricing option; expected another one"],
      [{ priceId: oneTime }, 'priceId is a one-time pricing option; expected a recurring one'],
      [{ priceId: retired }, 'priceId is a retired pricing option; expected an active one'],
      [{ priceId: priceIdsOf(other)[0] }, "priceId is not a pricing option of the subscription's offer"],
      [{ priceId: 'price_x' }, "priceId is not a pricing option of the subscription's offer"],
      [{ priceId: polygon }, 'tokenKey is required: the pricing option accepts usdt-polygon, usdc-polygon'],
      [
        { priceId: yearly, tokenKey: 'usdt-polygon' },
        `tokenKey is not accepted by the pricing option; expected one of ${TOKEN_KEY}`,
      ],
    ];
    for (const [body, message] of refusals) {
      expect(await answerOf(merchant, 'POST', `/subscriptions/${id}/migrate`, body)).toEqual(said(400, message));
    }
    await merchant.call('DELETE', `/subscriptions/${id}`);
    expect(await answerOf(merchant, 'POST', `/subscriptions/${id}/migrate`, { priceId: yearly })).toEqual(
      said(400, 'Subscription is canceled; migrate needs pending, active or past_due'),
    );
    expect(shop.priceId).toBe(present);
  });
});

describe('canceling a payment', () => {
  it('works before its charge has been started, and only for one-off payments', async () => {
    const of = await seller();
    const { merchant, shop } = of;
    const payment = {
      toWallet: stage().chain.addressOf('merchant'),
      fromWallet: shop.payers[0]?.wallet,
      amount: '1.00',
      tokenKey: TOKEN_KEY,
    };
    const settled = await merchant.call('POST', '/payments', { ...payment, idempotencyKey: 'settled' });
    expect(await answerOf(merchant, 'POST', `/payments/${settled['id']}/cancel`)).toEqual(
      said(409, 'Payment is settled; cancel needs pending with no charge started'),
    );
    const id = await subscribed(of);
    const [cycle] = z
      .array(z.object({ id: z.string() }))
      .parse((await merchant.call('GET', `/payments?subscriptionId=${id}`))['payments']);
    expect(await answerOf(merchant, 'POST', `/payments/${cycle?.id.replace('pay_', 'inv_')}/cancel`)).toEqual(
      said(409, `Payment is a cycle of ${id} and cannot be canceled alone; cancel the subscription`),
    );

    const answered = await withoutGas(stage().chain.facts, async () => {
      const waiting = merchant.call('POST', '/payments', { ...payment, idempotencyKey: 'waiting' });
      const list = () => merchant.call('GET', '/payments?status=pending&source=one_time');
      const { payments } = await until(
        'there is one payment',
        list,
        (answer) => z.array(z.unknown()).parse(answer['payments']).length === 1,
      );
      const [pending] = z.array(z.object({ id: z.string() })).parse(payments);
      const canceled = await merchant.call('POST', `/payments/${pending?.id}/cancel`);
      expect(canceled).toMatchObject({ id: pending?.id, status: 'canceled', pullTxHash: null, failureReason: null });
      return waiting;
    });
    expect(answered).toMatchObject({ status: 'canceled' });
    expect(await answerOf(merchant, 'POST', `/payments/${answered['id']}/cancel`)).toEqual(
      said(409, 'Payment is canceled; cancel needs pending with no charge started'),
    );
    const further = await merchant.call('POST', '/payments', { ...payment, idempotencyKey: 'further' });
    expect(further).toMatchObject({ status: 'settled' });
    expect(await merchant.call('GET', `/payments/${answered['id']}`)).toMatchObject({ status: 'canceled' });
    const events = await store.records.find('events', { where: { resourceId: text(answered, 'id') }, limit: 9 });
    expect(events.map(({ event, sequence }) => [event, sequence])).toEqual([['payment.canceled', 1]]);
  });
});

describe('a resource of another merchant', () => {
  it('gets the same 404 bytes from every command', async () => {
    const owner = await seller();
    const stranger = await seller();
    const id = await pastDue(owner);
    const { merchant } = owner;
    const [payment] = z
      .array(z.object({ id: z.string() }))
      .parse((await merchant.call('GET', '/payments'))['payments']);
    const commands = (subscription: string, paymentId: string) =>
      [
        ['PATCH', `/subscriptions/${subscription}`, { customVariables: { mine: true } }],
        ['DELETE', `/subscriptions/${subscription}`, {}],
        ['POST', `/subscriptions/${subscription}/cancel`, {}],
        ['POST', `/subscriptions/${subscription}/retry`, {}],
        ['POST', `/subscriptions/${subscription}/resume`, {}],
        ['POST', `/subscriptions/${subscription}/migrate`, { priceId: stranger.shop.priceId }],
        ['POST', `/payments/${paymentId}/cancel`, {}],
      ] as const;
    const before = await shown(owner, id);
    for (const key of [merchant.liveKey, stranger.merchant.testKey, stranger.merchant.liveKey]) {
      for (const [method, path, body] of commands(id, payment?.id ?? '')) {
        expect(await answerOf(merchant, method, path, body, key)).toEqual(said(404, 'Not found'));
      }
    }
    for (const [method, path, body] of commands('sub_00000000000000000000000000', 'pay_00000000000000000000000000')) {
      expect(await answerOf(merchant, method, path, body)).toEqual(said(404, 'Not found'));
    }
    expect(await shown(owner, id)).toEqual(before);
  });
});

describe('after these tests', () => {
  it('every journal leads to the stored state', async () => {
    expect(await expectSoundJournals(stage())).toBeGreaterThan(20);
  });
});
