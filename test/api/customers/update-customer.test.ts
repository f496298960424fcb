import { ALICE, BOB, CAROL, monthly, offerBody, SOL_ALICE } from '../../support/bodies.ts';
import { expectError, idOf, idsOf, priceIdOf, type Reply, useHttp, useMerchant } from '../../support/http.ts';

const http = useHttp();
const merchant = useMerchant(http);
const { billing } = http;

const evm = (address: string | null) => ({ chainFamily: 'evm', address });
const solana = (address: string | null) => ({ chainFamily: 'solana', address });
const SENT = { merchantReferenceId: 'user-7', email: 'a@example.com', phone: '+49 30 1', name: 'Ada' };

async function make(body: object = {}): Promise<string> {
  return idOf(await merchant.post('/customers', body));
}

function update(id: string, body: unknown): Promise<Reply> {
  return merchant.patch(`/customers/${id}`, body);
}

async function subscribe(customerId: string, change: object = {}): Promise<string> {
  const offer = await merchant.post('/offers', offerBody({ pricing: [monthly(change)] }));
  const priceId = priceIdOf(offer);
  const made = await merchant.post('/subscriptions', { customerId, priceId });
  await billing.quiet();
  return idOf(made);
}

async function payerOf(subscriptionId: string): Promise<unknown> {
  await billing.quiet();
  return Object((await merchant.get(`/subscriptions/${subscriptionId}`)).body).payerWallet;
}

describe('PATCH /customers/{customerId} 200', () => {
  it('changes the sent fields, clears null ones, and keeps the rest', async () => {
    const id = await make({ ...SENT, wallets: [evm(ALICE)] });
    http.later(1_000);
    const reply = await update(id, { email: 'b@example.com', phone: null });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ ...SENT, email: 'b@example.com', phone: null, wallets: [evm(ALICE)] });
    expect(reply.body).toMatchObject({ updatedAt: http.now.toISOString() });
    expect((await merchant.get(`/customers/${id}`)).body).toEqual(reply.body);
  });

  it('merges wallets per family: adds one, replaces it, removes it', async () => {
    const id = await make({ wallets: [evm(ALICE)] });
    expect((await update(id, { wallets: [solana(SOL_ALICE)] })).body).toMatchObject({
      wallets: [evm(ALICE), solana(SOL_ALICE)],
    });
    expect((await update(id, { wallets: [evm(BOB.toLowerCase())] })).body).toMatchObject({
      wallets: [evm(BOB), solana(SOL_ALICE)],
    });
    expect((await update(id, { wallets: [evm(null)] })).body).toMatchObject({ wallets: [solana(SOL_ALICE)] });
    expect((await update(id, { wallets: [evm(CAROL), solana(null)] })).body).toMatchObject({ wallets: [evm(CAROL)] });
    expect((await update(id, { wallets: null })).body).toMatchObject({ wallets: [] });
  });

  it('finds the customer by its new wallet, and frees the old one', async () => {
    const id = await make({ wallets: [evm(ALICE)] });
    await update(id, { wallets: [evm(BOB)] });
    const found = async (address: string) =>
      idsOf(await merchant.get(`/customers?walletAddress=${address}`), 'customers');
    expect([await found(ALICE), await found(BOB)]).toEqual([[], [id]]);
    expect((await merchant.post('/customers', { wallets: [evm(ALICE)] })).status).toBe(201);
  });

  it('sends an event with the new wallets and sequence 2', async () => {
    const id = await make({ wallets: [evm(ALICE)] });
    await update(id, { wallets: [solana(SOL_ALICE)] });
    await billing.quiet();
    expect((await billing.eventsOf(id)).map(({ event, data }) => [event, data])).toEqual([
      ['customer.created', { customerId: id, wallets: [evm(ALICE)] }],
      ['customer.updated', { customerId: id, wallets: [evm(ALICE), solana(SOL_ALICE)] }],
    ]);
    const [stored] = await http.store.records.get('customers', [id]);
    expect(stored).toMatchObject({ eventSeq: 2 });
    expect(await http.store.records.count('outbox', { 'entries.documentId': id })).toBe(0);
  });

  it('writes nothing and sends no event without a change, whatever the spelling of an address', async () => {
    const id = await make({ ...SENT, wallets: [evm(ALICE)] });
    const before = await merchant.get(`/customers/${id}`);
    http.later(1_000);
    const bodies = [
      SENT,
      { wallets: [evm(ALICE.toLowerCase())] },
      { wallets: [] },
      { wallets: [solana(null)] },
      { name: 'Ada' },
    ];
    for (const body of bodies) {
      const reply = await update(id, body);
      expect([reply.status, reply.body]).toEqual([200, before.body]);
    }
    await billing.quiet();
    expect((await billing.eventsOf(id)).map(({ event }) => event)).toEqual(['customer.created']);
  });

  it('bills live subscriptions of a family to its first wallet', async () => {
    const id = await make();
    const [first, second] = [await subscribe(id), await subscribe(id)];
    const other = await subscribe(id, { acceptedTokens: ['usdc-solana'] });
    await merchant.post(`/subscriptions/${second}/cancel`, {});
    await update(id, { wallets: [evm(ALICE)] });
    expect([await payerOf(first), await payerOf(second), await payerOf(other)]).toEqual([ALICE, null, null]);
    await update(id, { wallets: [solana(SOL_ALICE)] });
    expect([await payerOf(first), await payerOf(other)]).toEqual([ALICE, SOL_ALICE]);
  });

  it('gives up a wallet that only an ended subscription billed', async () => {
    const id = await make({ wallets: [evm(ALICE)] });
    const subscription = await subscribe(id);
    await merchant.post(`/subscriptions/${subscription}/cancel`, {});
    expect((await update(id, { wallets: [evm(null)] })).status).toBe(200);
  });

  it('changes everything except the billed wallet', async () => {
    const id = await make({ wallets: [evm(ALICE)] });
    await subscribe(id);
    const reply = await update(id, { name: 'Bob', wallets: [evm(ALICE), solana(SOL_ALICE)] });
    expect(reply.body).toMatchObject({ name: 'Bob', wallets: [evm(ALICE), solana(SOL_ALICE)] });
    expect((await update(id, { wallets: [solana(null)] })).status).toBe(200);
  });
});

describe('PATCH /customers/{customerId} 400', () => {
  it.each([[{}], [{ nickname: 'Ada' }], [undefined]])('refuses %j, which updates nothing', async (body) => {
    expectError(await update(await make(), body), 400, 'body must have at least one field that can be updated');
  });

  it.each([
    [{ wallets: [{ chainFamily: 'evm' }] }, 'wallets[0].address is required'],
    [{ wallets: [{ chainFamily: 'btc', address: null }] }, 'wallets[0].chainFamily must be one of evm, solana'],
    [{ wallets: [evm(null), evm(ALICE)] }, 'wallets[1].chainFamily repeats evm: one wallet per family'],
    [{ wallets: [evm(`0x${'0'.repeat(40)}`)] }, 'wallets[0].address must not be the zero address'],
    [{ wallets: [solana(ALICE)] }, /^wallets\[0\]\.address must be /],
  ])('names the wrong part of %j', async (body, message) => {
    const error = message instanceof RegExp ? expect.stringMatching(message) : message;
    expectError(await update(await make(), body), 400, error);
  });
});

describe('PATCH /customers/{customerId} 409', () => {
  it('refuses a wallet of another customer, and changes nothing', async () => {
    await make({ wallets: [evm(ALICE)] });
    const id = await make({ wallets: [evm(BOB)] });
    const reply = await update(id, { name: 'Ada', wallets: [evm(ALICE.toLowerCase())] });
    expectError(reply, 409, 'A customer with this wallet address already exists');
    const { body } = await merchant.get(`/customers/${id}`);
    expect(body).toMatchObject({ name: null, wallets: [evm(BOB)] });
  });

  it.each([
    ['replaced', { wallets: [evm(BOB)] }],
    ['removed', { wallets: [evm(null)] }],
    ['removed with all others', { wallets: null }],
  ])('refuses if the wallet of a live subscription is %s', async (_how, body) => {
    const id = await make({ wallets: [evm(ALICE), solana(SOL_ALICE)] });
    const subscription = await subscribe(id);
    const reply = await update(id, { name: 'Ada', ...body });
    expectError(
      reply,
      409,
      `The evm wallet ${ALICE} is billed by ${subscription}, which is pending; removing or replacing it needs that subscription canceled`,
    );
    const read = await merchant.get(`/customers/${id}`);
    expect(read.body).toMatchObject({ name: null, wallets: [evm(ALICE), solana(SOL_ALICE)] });
  });

  it('refuses the same if the subscription got the wallet by an earlier PATCH', async () => {
    const id = await make();
    const subscription = await subscribe(id);
    await update(id, { wallets: [evm(ALICE)] });
    expect(await payerOf(subscription)).toBe(ALICE);
    expect((await update(id, { wallets: [evm(BOB)] })).status).toBe(409);
  });
});
