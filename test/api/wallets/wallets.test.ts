import { testOperator } from '../../../stage/scripted-chain.ts';
import { staff } from '../../staff/support/staff.ts';
import { ALICE, BOB, CAROL, SOL_ALICE } from '../../support/bodies.ts';
import { expectError, idOf, idsOf, type Reply, useHttp, useMerchant } from '../../support/http.ts';

const http = useHttp();
const merchant = useMerchant(http);

function register(tokenKey: unknown, receiverWallet: unknown, key?: string): Promise<Reply> {
  return merchant.call('POST', '/wallets', { tokenKey, receiverWallet }, key);
}

/** The stored events about a wallet in the order of their numbers. */
async function emitted(walletId: string): Promise<unknown[]> {
  const events = await http.billing.eventsOf(walletId);
  return events.map(({ sequence, event, data }) => ({ sequence, event, data }));
}

describe('POST /wallets 201', () => {
  it('registers a checksummed address, and sends an event', async () => {
    const reply = await register('usdc-base', ALICE.toLowerCase());
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      id: idOf(reply),
      merchantId: merchant.id,
      tokenKey: 'usdc-base',
      chainId: 8453,
      receiverWallet: ALICE,
      effectiveAt: http.now.toISOString(),
      createdAt: http.now.toISOString(),
    });
    const data = { tokenKey: 'usdc-base', previousWallet: null, newWallet: ALICE, source: 'api' };
    expect(await emitted(idOf(reply))).toEqual([{ sequence: 1, event: 'wallet.updated', data }]);
  });

  it('accepts a Solana address for a Solana token', async () => {
    const { status, body } = await register('usdc-solana', SOL_ALICE);
    expect(status).toBe(201);
    expect(body).toMatchObject({ chainId: 101, receiverWallet: SOL_ALICE });
  });

  it('makes one row of two simultaneous registrations', async () => {
    const replies = await Promise.all([ALICE, BOB, CAROL].map((address) => register('usdc-base', address)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    expect(new Set(replies.map(idOf)).size).toBe(1);
    const [row] = await http.store.records.find('wallets', { where: { merchantId: merchant.id }, limit: 9 });
    expect(row).toMatchObject({ rev: 3, eventSeq: 3 });
  });
});

describe('POST /wallets 200', () => {
  it('replaces an address in the same row, and sends an event with the old one', async () => {
    const first = await register('usdc-base', ALICE);
    const second = await register('usdc-base', BOB);
    expect(second.status).toBe(200);
    expect(second.body).toMatchObject({ id: idOf(first), receiverWallet: BOB });
    const data = { tokenKey: 'usdc-base', previousWallet: ALICE, newWallet: BOB, source: 'api' };
    expect((await emitted(idOf(first))).at(-1)).toEqual({ sequence: 2, event: 'wallet.updated', data });
  });

  it('sends no event without a change, whatever the case', async () => {
    const first = await register('usdc-base', ALICE);
    const second = await register('usdc-base', ALICE.toLowerCase());
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(await emitted(idOf(first))).toHaveLength(1);
  });
});

describe('POST /wallets 400', () => {
  it.each([
    ['an unknown token', 'usdc-moon', ALICE, 'tokenKey is not a known token: "usdc-moon"'],
    ['an address of another family', 'usdc-base', SOL_ALICE, 'receiverWallet must be an EVM address'],
    ['a Solana token with an EVM address', 'usdc-solana', ALICE, 'receiverWallet must be a Solana address'],
    ['a wrong checksum', 'usdc-base', ALICE.replace('C5', 'c5'), 'receiverWallet must be an EVM address'],
    ['the zero address', 'usdc-base', `0x${'0'.repeat(40)}`, 'receiverWallet must not be the zero address'],
    [
      'the token itself',
      'usdc-base',
      '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      'receiverWallet must not be the address of a token',
    ],
    [
      'the token that plays it',
      'usdc-base',
      `0x${'1'.padStart(40, '0')}`,
      'receiverWallet must not be the address of a token',
    ],
    [
      'the mint itself',
      'usdc-solana',
      'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      'receiverWallet must not be the',
    ],
  ])('refuses %s', async (_what, tokenKey, receiverWallet, message) => {
    expectError(await register(tokenKey, receiverWallet), 400, expect.stringContaining(message));
    expect(await http.store.records.count('wallets', { merchantId: merchant.id })).toBe(0);
  });

  it("refuses the merchant's own operator", async () => {
    const reply = await register('usdc-base', testOperator(merchant.id, 'test'));
    expectError(reply, 400, 'receiverWallet must not be the operator, which only passes money on');
  });

  it('refuses a testnet token with a live key', async () => {
    const reply = await register('usdc-local-evm', ALICE, merchant.liveKey);
    expectError(reply, 400, 'tokenKey is a testnet token, which a live key cannot use: "usdc-local-evm"');
  });
});

/** Staff have removed the address of the wallet. */
async function registeredAndRemoved(): Promise<string> {
  const id = idOf(await register('usdc-base', ALICE));
  await http.store.records.change('wallets', id, {}, { set: { receiverWallet: null } });
  return id;
}

describe('GET /wallets 200', () => {
  it('has one row per token, the newest first', async () => {
    const first = await register('usdc-base', ALICE);
    http.later(1000);
    const second = await register('usdt-bnb', BOB);
    await register('usdc-base', BOB);
    const reply = await merchant.get('/wallets');
    expect(reply.status).toBe(200);
    expect(idsOf(reply, 'wallets')).toEqual([idOf(second), idOf(first)]);
  });

  it('omits a row whose address staff have removed', async () => {
    const id = await registeredAndRemoved();
    expect((await merchant.get('/wallets')).body).toEqual({ wallets: [] });
    const again = await register('usdc-base', BOB);
    expect([again.status, idOf(again)]).toEqual([201, id]);
  });
});

describe('DELETE /wallets/{id}', () => {
  it("answers once: the id and the staff's row are gone, and the token gets a new id", async () => {
    const id = await registeredAndRemoved();
    const deletes = await Promise.all([1, 2, 3].map(() => merchant.delete(`/wallets/${id}`)));
    const gone = { status: 404, body: { error: 'Not found' } };
    expect(deletes.toSorted((a, b) => a.status - b.status)).toMatchObject([
      { status: 200, body: { id, deleted: true } },
      gone,
      gone,
    ]);
    const again = await register('usdc-base', ALICE);
    expect(again.status).toBe(201);
    expect(idOf(again)).not.toBe(id);
    expect(idsOf(await merchant.get('/wallets'), 'wallets')).toEqual([idOf(again)]);
    const account = await staff(http, 'GET', `/merchants/${merchant.id}`);
    expect(account.body).toMatchObject({ wallets: [{ id: idOf(again) }] });
    const removed = await staff(http, 'DELETE', `/merchants/${merchant.id}/wallets/${id}`, { reason: 'gone' });
    expect(removed.status).toBe(404);
  });

  it('refuses while an address is registered, and says what to do', async () => {
    const reply = await merchant.delete(`/wallets/${idOf(await register('usdc-base', ALICE))}`);
    expectError(reply, 409, 'Wallet has an address registered for usdc-base; register a different one instead');
  });
});
