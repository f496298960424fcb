import { z } from 'zod';
import { apiKeyDoc, secretHash } from '../../src/model/secrets.ts';
import { ALICE, BOB } from '../support/bodies.ts';
import { expectError, idOf, useHttp, useMerchant } from '../support/http.ts';
import { journalOf, NOBODY, REASON, staff } from './support/staff.ts';

/** A merchant's keys and wallets at the staff API. `every-route.test.ts` has the answers for unknown merchants. */
const http = useHttp();
const merchant = useMerchant(http);

const issued = z.object({ id: z.string(), mode: z.string(), key: z.string(), hint: z.string() });

function shownId(key: string): string {
  return secretHash(key).slice(0, 16);
}

function issue(body: object = { mode: 'test' }) {
  return staff(http, 'POST', `/merchants/${merchant.id}/keys`, { reason: REASON, ...body });
}

function revoke(keyId: string, body: unknown = { reason: REASON }) {
  return staff(http, 'DELETE', `/merchants/${merchant.id}/keys/${keyId}`, body);
}

function set(body: object = {}) {
  const wallet = { mode: 'test', tokenKey: 'usdc-base', receiverWallet: ALICE, reason: REASON };
  return staff(http, 'PUT', `/merchants/${merchant.id}/wallets`, { ...wallet, ...body });
}

function remove(walletId: string, body: unknown = { reason: REASON }, merchantId = merchant.id) {
  return staff(http, 'DELETE', `/merchants/${merchantId}/wallets/${walletId}`, body);
}

async function statusWith(key: string): Promise<number> {
  return (await merchant.get('/offers', key)).status;
}

/** The merchant registers a wallet by itself. */
async function registered(receiverWallet = ALICE): Promise<string> {
  const body = { tokenKey: 'usdc-base', receiverWallet };
  return idOf(await merchant.post('/wallets', body));
}

/** The wallets that the merchant sees with this key. */
async function walletsWith(key: string): Promise<unknown> {
  return (await merchant.get('/wallets', key)).body;
}

/** The data of the events about a wallet, in order. */
async function eventsOf(walletId: string): Promise<unknown[]> {
  return (await http.billing.eventsOf(walletId)).map(({ event, data }) => ({ event, ...data }));
}

function updated(previousWallet: string | null, newWallet: string | null, source: 'api' | 'dashboard') {
  return { event: 'wallet.updated', tokenKey: 'usdc-base', previousWallet, newWallet, source };
}

describe('POST /staff/api/merchants/{merchantId}/keys', () => {
  it.each(['test', 'live'] as const)('issues another %s key, shown once, beside the others', async (mode) => {
    const reply = await issue({ mode });
    const { id: keyId, key, hint } = issued.parse(reply.body);
    expect(reply.status).toBe(201);
    expect(key).toMatch(mode === 'test' ? /^tl_test_[0-9A-Za-z]{43}$/ : /^tl_live_[0-9A-Za-z]{43}$/);
    expect([await statusWith(merchant.key), await statusWith(key)]).toEqual([200, 200]);
    const { body } = await staff(http, 'GET', `/merchants/${merchant.id}`);
    expect(body).toMatchObject({ keys: expect.arrayContaining([expect.objectContaining({ id: keyId, mode, hint })]) });
    const journal = await journalOf(http, merchant.id);
    expect(journal).toMatchObject([
      { action: 'key.issued', reason: REASON, details: { keyId, mode, hint: key.slice(-4) } },
    ]);
    expect(JSON.stringify([body, journal])).not.toContain(key);
  });

  it.each([
    [{ mode: 'sandbox' }, 'mode must be one of test, live'],
    [{ mode: undefined }, 'mode is required'],
    [{ mode: 'test', reason: '' }, 'reason must be 1 to 500 characters long'],
  ])('refuses %j', async (body, error) => {
    expectError(await issue(body), 400, error);
  });

  it('refuses a 51st valid key of one environment; a revoked one does not count', async () => {
    const ids: string[] = [];
    for (let count = 1; count < 50; count += 1) ids.push(issued.parse((await issue()).body).id);
    const error = 'Merchant has 50 test keys; revoke one first';
    expectError(await issue(), 409, error);
    expect((await issue({ mode: 'live' })).status).toBe(201);
    await revoke(ids[0] ?? '');
    expect((await issue()).status).toBe(201);
  });
});

describe('DELETE /staff/api/merchants/{merchantId}/keys/{keyId}', () => {
  it('revokes that key at once, and no other', async () => {
    const { status, body } = await revoke(shownId(merchant.key));
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: shownId(merchant.key), mode: 'test', revokedAt: http.now.toISOString() });
    expect([await statusWith(merchant.key), await statusWith(merchant.liveKey)]).toEqual([401, 200]);
    expect(await journalOf(http, merchant.id)).toMatchObject([
      {
        action: 'key.revoked',
        reason: REASON,
        details: { keyId: shownId(merchant.key), hint: merchant.key.slice(-4) },
      },
    ]);
    expectError(await revoke(shownId(merchant.key)), 409, 'Key is revoked; revoke needs one in force');
  });

  it('finds it after a thousand revoked ones', async () => {
    const before = Array.from({ length: 1_000 }, (_, n) => ({
      ...apiKeyDoc(`tl_test_${n}`, merchant.id, 'test', http.now),
      _id: String(n).padStart(64, '0'),
      revokedAt: http.now,
    }));
    await http.store.records.insert('apiKeys', before);
    const account = await staff(http, 'GET', `/merchants/${merchant.id}`);
    expect(JSON.stringify(account.body)).toContain(shownId(merchant.key));
    expect((await revoke(shownId(merchant.key))).status).toBe(200);
    expect(await statusWith(merchant.key)).toBe(401);
  });

  it("finds nothing by another text: the key, its whole hash, another merchant's name", async () => {
    const stranger = await http.merchant();
    const shown = shownId(merchant.key);
    const names = [
      '0000000000000000',
      merchant.key,
      secretHash(merchant.key),
      shown.slice(0, 15),
      shownId(stranger.testKey),
    ];
    for (const name of names) expect((await revoke(name)).status).toBe(404);
    expect([await statusWith(merchant.key), await statusWith(stranger.testKey)]).toEqual([200, 200]);
  });
});

describe('PUT /staff/api/merchants/{merchantId}/wallets', () => {
  it('registers a wallet in the named environment, and informs the merchant that staff did it', async () => {
    const reply = await set({ receiverWallet: ALICE.toLowerCase() });
    const walletId = idOf(reply);
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({ mode: 'test', tokenKey: 'usdc-base', chainId: 8453, receiverWallet: ALICE });
    const wallets = [{ id: walletId, merchantId: merchant.id, receiverWallet: ALICE }];
    expect(await walletsWith(merchant.key)).toMatchObject({ wallets });
    expect(await walletsWith(merchant.liveKey)).toEqual({ wallets: [] });
    expect(await eventsOf(walletId)).toEqual([updated(null, ALICE, 'dashboard')]);
    const details = { walletId, mode: 'test', tokenKey: 'usdc-base', previousWallet: null, newWallet: ALICE };
    expect(await journalOf(http, merchant.id)).toMatchObject([{ action: 'wallet.set', reason: REASON, details }]);
  });

  it("replaces the merchant's own address in the same row", async () => {
    const walletId = await registered();
    const reply = await set({ receiverWallet: BOB });
    expect([reply.status, idOf(reply)]).toEqual([200, walletId]);
    expect(await eventsOf(walletId)).toEqual([updated(null, ALICE, 'api'), updated(ALICE, BOB, 'dashboard')]);
    expect(await journalOf(http, merchant.id)).toMatchObject([{ details: { previousWallet: ALICE, newWallet: BOB } }]);
  });

  it('changes, sends and journals nothing if the address is there already', async () => {
    const [first, again] = [await set(), await set()];
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await eventsOf(idOf(first))).toHaveLength(1);
    expect(await journalOf(http, merchant.id)).toHaveLength(1);
  });

  it.each([
    [{ mode: 'sandbox' }, 'mode must be one of test, live'],
    [{ mode: 'live', tokenKey: 'usdc-local-evm' }, expect.stringContaining('tokenKey')],
  ])('refuses the same as for the merchant: %j', async (body, error) => {
    expectError(await set(body), 400, error);
    expect(await journalOf(http, merchant.id)).toEqual([]);
  });
});

describe('DELETE /staff/api/merchants/{merchantId}/wallets/{walletId}', () => {
  it('removes the address, sends an event, and keeps an unlisted row', async () => {
    const walletId = await registered();
    const { status, body } = await remove(walletId);
    expect([status, body]).toEqual([200, expect.objectContaining({ id: walletId, receiverWallet: null })]);
    expect(await walletsWith(merchant.key)).toEqual({ wallets: [] });
    const [stored] = await http.store.records.get('wallets', [walletId]);
    expect(stored).toMatchObject({ receiverWallet: null, eventSeq: 2 });
    expect((await eventsOf(walletId)).at(1)).toEqual(updated(ALICE, null, 'dashboard'));
    expectError(await remove(walletId), 409, 'Wallet has no address registered for usdc-base');
    expect(await journalOf(http, merchant.id)).toMatchObject([
      { action: 'wallet.removed', reason: REASON, details: { walletId, previousWallet: ALICE, newWallet: null } },
    ]);
    expect(await journalOf(http, merchant.id)).toHaveLength(1);
  });

  it("finds neither an unknown wallet nor another merchant's", async () => {
    const walletId = await registered();
    const { merchant: stranger } = await http.merchant();
    const replies = await Promise.all([
      remove('wal_x'),
      remove(walletId, { reason: REASON }, stranger._id),
      remove(walletId, { reason: REASON }, NOBODY),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(await walletsWith(merchant.key)).toMatchObject({ wallets: [{ receiverWallet: ALICE }] });
  });
});
