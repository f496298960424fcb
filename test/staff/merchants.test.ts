import { z } from 'zod';
import type { MerchantsDeps } from '../../src/billing/administration/merchants.ts';
import { secretHash } from '../../src/model/secrets.ts';
import { ALICE, offerBody, SOL_ALICE } from '../support/bodies.ts';
import { expectError, type HttpHarness, idOf, idsOf, startHttp, useHttp } from '../support/http.ts';
import { journalOf, REASON, staff } from './support/staff.ts';

/** Merchants at the staff API. `every-route.test.ts` has the answers for unknown merchants. */
const http = useHttp();
/** The statuses of a read with each of these keys. */
async function statusesWith(...keys: readonly string[]): Promise<number[]> {
  const replies = await Promise.all(keys.map((key) => http.call('GET', '/offers', { key })));
  return replies.map(({ status }) => status);
}

/** Of a merchant for which staff have set none. */
const BUDGETS = { signUpsPerDay: 300, newWalletsPerDay: 2_000, announcementsPerDay: 20 };

describe('POST /staff/api/merchants', () => {
  const made = z.strictObject({
    id: z.string().regex(/^mrc_[0-9a-z]{26}$/),
    testKey: z.string().regex(/^tl_test_[0-9A-Za-z]{43}$/),
    liveKey: z.string().regex(/^tl_live_[0-9A-Za-z]{43}$/),
  });

  it('makes a merchant whose keys work, each in its environment, and stores only their hashes', async () => {
    const { status, body } = await staff(http, 'POST', '/merchants', { name: 'A shop' });
    expect(status).toBe(201);
    const { id, testKey, liveKey } = made.parse(body);
    for (const [key, isSandbox] of [
      [testKey, true],
      [liveKey, false],
    ] as const) {
      const customer = await http.call('POST', '/customers', { key, body: {} });
      expect(customer.body).toMatchObject({ merchantId: id, isSandbox });
    }
    const keys = await http.store.records.find('apiKeys', { where: { merchantId: id }, limit: 9 });
    expect(keys.map(({ _id }) => _id).sort()).toEqual([testKey, liveKey].map(secretHash).sort());
    expect(JSON.stringify(keys)).not.toContain(testKey.slice(8));
  });

  it('answers after all notices of the new merchant', async () => {
    const seen: string[] = [];
    const welcome: MerchantsDeps['welcome'] = async ({ _id }) => void seen.push(_id);
    const own = await startHttp({ change: (deps) => ({ ...deps, welcome }) });
    const { body } = await staff(own, 'POST', '/merchants', { name: 'A shop' });
    expect(seen).toEqual([made.parse(body).id]);
  });

  it.each([
    [{}, 'name is required'],
    [{ name: '' }, 'name must be 1 to 200 characters long'],
    [{ name: ['a'] }, 'name must be a string'],
  ])('refuses %j', async (body, message) => {
    expectError(await staff(http, 'POST', '/merchants', body), 400, message);
  });
});

describe('GET /staff/api/merchants', () => {
  let own: HttpHarness;
  /** Newest first; the first and the third are suspended. */
  const ids: string[] = [];
  beforeAll(async () => {
    own = await startHttp();
    for (const name of ['first', 'second', 'third', 'fourth']) {
      own.later(1_000);
      ids.unshift((await own.merchant(name)).merchant._id);
    }
    for (const id of [ids[0], ids[2]]) await staff(own, 'POST', `/merchants/${id}/suspend`, { reason: REASON });
  });

  const list = (query = '') => staff(own, 'GET', `/merchants${query}`);

  it('lists merchants, newest first, without secrets', async () => {
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body).toEqual({
      limit: 20,
      start: 0,
      hasMore: false,
      merchants: ids.map((id, index) => ({
        id,
        name: ['fourth', 'third', 'second', 'first'][index],
        status: index % 2 === 0 ? 'suspended' : 'active',
        feeBps: 100,
        limitFactor: 1,
        ...BUDGETS,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      })),
    });
  });

  it('continues after a merchant that its filter leaves out meanwhile', async () => {
    expect((await list('?status=active&limit=1')).body).toMatchObject({ hasMore: true });
    await staff(own, 'POST', `/merchants/${ids[1]}/suspend`, { reason: REASON });
    const next = await list(`?status=active&limit=1&startingAfter=${ids[1]}`);
    expect(next.body).toMatchObject({ hasMore: false, merchants: [{ id: ids[3] }] });
    await staff(own, 'POST', `/merchants/${ids[1]}/reinstate`, { reason: REASON });
  });

  it('pages, and filters before it pages', async () => {
    expect(idsOf(await list('?limit=2&start=1'), 'merchants')).toEqual(ids.slice(1, 3));
    expect(idsOf(await list('?status=suspended&limit=1&start=1'), 'merchants')).toEqual([ids[2]]);
    expect(idsOf(await list('?status=active'), 'merchants')).toEqual([ids[1], ids[3]]);
  });

  it('refuses an unknown status', async () => {
    expectError(await list('?status=gone'), 400, 'status must be one of active, suspended');
  });
});

describe('GET /staff/api/merchants/{merchantId}', () => {
  const shownId = (key: string) => secretHash(key).slice(0, 16);

  it('shows account, keys, limits, fee, webhook settings and the wallets of both environments', async () => {
    const { merchant, testKey, liveKey } = await http.merchant('Coffee Club');
    await http.call('PATCH', '/webhooks/endpoint', { key: liveKey, body: { url: 'https://shop.example/live' } });
    await http.call('PATCH', '/webhooks/endpoint', { key: testKey, body: { extraEvents: true } });
    const register = async (key: string, tokenKey: string, receiverWallet: string) =>
      idOf(await http.call('POST', '/wallets', { key, body: { tokenKey, receiverWallet } }));
    const onTest = await register(testKey, 'usdc-base', ALICE);
    const onLive = await register(liveKey, 'usdc-solana', SOL_ALICE);
    const { status, body } = await staff(http, 'GET', `/merchants/${merchant._id}`);
    const at = http.now.toISOString();
    const times = { createdAt: at, updatedAt: at };
    expect(status).toBe(200);
    expect(body).toEqual({
      id: merchant._id,
      name: 'Coffee Club',
      branding: { logoPath: null, accentColor: null },
      summaryTo: null,
      status: 'active',
      feeBps: 100,
      limitFactor: 1,
      ...BUDGETS,
      ...times,
      keys: expect.arrayContaining([
        { id: shownId(testKey), mode: 'test', hint: testKey.slice(-4), createdAt: at, revokedAt: null },
        { id: shownId(liveKey), mode: 'live', hint: liveKey.slice(-4), createdAt: at, revokedAt: null },
      ]),
      webhooks: {
        secretConfigured: true,
        secretRotatedAt: null,
        live: { url: 'https://shop.example/live', effectiveUrl: 'https://shop.example/live', extraEvents: false },
        test: { url: '', effectiveUrl: 'https://shop.example/live', extraEvents: true },
      },
      wallets: [
        { id: onLive, mode: 'live', tokenKey: 'usdc-solana', chainId: 101, receiverWallet: SOL_ALICE, ...times },
        { id: onTest, mode: 'test', tokenKey: 'usdc-base', chainId: 8453, receiverWallet: ALICE, ...times },
      ],
    });
  });

  it('shows a row without an address, and a revoked key, and no secret of either kind', async () => {
    const { merchant, testKey, liveKey } = await http.merchant();
    const { _id: id } = merchant;
    await http.call('PATCH', '/webhooks/endpoint', { key: liveKey, body: { url: 'https://shop.example/live' } });
    const wallet = { mode: 'test', tokenKey: 'usdc-base', receiverWallet: ALICE, reason: REASON };
    const walletId = idOf(await staff(http, 'PUT', `/merchants/${id}/wallets`, wallet));
    await staff(http, 'DELETE', `/merchants/${id}/wallets/${walletId}`, { reason: REASON });
    await staff(http, 'DELETE', `/merchants/${id}/keys/${shownId(testKey)}`, { reason: REASON });
    const { body } = await staff(http, 'GET', `/merchants/${id}`);
    expect(body).toMatchObject({
      wallets: [{ id: walletId, receiverWallet: null }],
      keys: expect.arrayContaining([expect.objectContaining({ mode: 'test', revokedAt: http.now.toISOString() })]),
    });
    const [stored] = await http.store.records.get('merchants', [id]);
    const secret = stored?.webhook.secret ?? '';
    expect(secret).toMatch(/^whsec_/);
    const shown = JSON.stringify(body);
    for (const hidden of [testKey, liveKey, secret, secretHash(testKey), secretHash(liveKey)]) {
      expect(shown).not.toContain(hidden);
    }
  });
});

describe('PATCH /staff/api/merchants/{merchantId}', () => {
  async function update(body: object, on = http) {
    const { merchant, testKey } = await on.merchant();
    const reply = await staff(on, 'PATCH', `/merchants/${merchant._id}`, { reason: REASON, ...body });
    return { id: merchant._id, testKey, ...reply };
  }

  const withoutPlatformWallet = () => startHttp({ platformWallets: { evm: null, solana: null } });

  it('sets the limits for the next calls', async () => {
    const { id, testKey, status, body } = await update({ limitFactor: 2, newWalletsPerDay: 0 });
    expect(status).toBe(200);
    // The factor multiplies the budgets that staff have not set.
    expect(body).toMatchObject({ id, limitFactor: 2, feeBps: 100, newWalletsPerDay: 0, announcementsPerDay: 40 });
    const statuses = await statusesWith(...Array.from({ length: 125 }, () => testKey));
    expect(statuses.filter((each) => each === 200)).toHaveLength(120);
    expect(await journalOf(http, id)).toMatchObject([
      {
        action: 'merchant.changed',
        details: { limitFactor: { from: 1, to: 2 }, newWalletsPerDay: { from: 2_000, to: 0 } },
      },
    ]);
  });

  it.each([0, 1, 10_000])('sets the fee to %i basis points if it can be paid out', async (feeBps) => {
    const { id, status, body } = await update({ feeBps });
    expect([status, body]).toEqual([200, expect.objectContaining({ feeBps, limitFactor: 1 })]);
    expect(await journalOf(http, id)).toMatchObject([{ details: { feeBps: { from: 100, to: feeBps } } }]);
  });

  it('removes the fee, and sets limits, even without a platform wallet', async () => {
    const own = await withoutPlatformWallet();
    expect((await update({ feeBps: 0 }, own)).status).toBe(200);
    expect((await update({ limitFactor: 10_000 }, own)).status).toBe(200);
  });

  it.each([
    [{ limitFactor: 0 }, 'limitFactor must be an integer between 1 and 10000'],
    [{ limitFactor: 10_001 }, 'limitFactor must be an integer between 1 and 10000'],
    [{ limitFactor: 1.5 }, 'limitFactor must be an integer between 1 and 10000'],
    [{ announcementsPerDay: -1 }, 'announcementsPerDay must be an integer between 0 and 1000000'],
    [{ feeBps: -1 }, 'feeBps must be an integer between 0 and 10000'],
    [{ feeBps: 10_001 }, 'feeBps must be an integer between 0 and 10000'],
    [{ feeBps: 5, reason: '' }, 'reason must be 1 to 500 characters long'],
    [{}, 'body must have a field to update: limitFactor, feeBps, signUpsPerDay, newWalletsPerDay, announcementsPerDay'],
    [{ limitFactor: 2, name: 'Other' }, 'name cannot be updated'],
    [{ limitFactor: 2, status: 'suspended' }, 'status cannot be updated'],
  ])('refuses %j, and changes nothing', async (body, error) => {
    const reply = await update(body);
    expectError(reply, 400, error);
    expect(await journalOf(http, reply.id)).toEqual([]);
  });

  it('refuses a fee without a wallet for it', async () => {
    const { status, body } = await update({ feeBps: 1 }, await withoutPlatformWallet());
    expect(status).toBe(400);
    expect(body).toEqual({
      error:
        'feeBps must be 0: chain 31337 is enabled and PLATFORM_WALLET_EVM is not set, so that a fee has nowhere to go',
    });
  });
});

describe('POST /staff/api/merchants/{merchantId}/suspend and reinstate', () => {
  const suspend = (id: string, body: unknown = { reason: REASON }) =>
    staff(http, 'POST', `/merchants/${id}/suspend`, body);
  const reinstate = (id: string, reason = REASON) => staff(http, 'POST', `/merchants/${id}/reinstate`, { reason });

  it('block both keys and the checkout page, let them in again, and record who did it and why', async () => {
    const { merchant, testKey, liveKey } = await http.merchant();
    const { _id: id } = merchant;
    const offerId = idOf(await http.call('POST', '/offers', { key: testKey, body: offerBody() }));
    const page = async () => (await http.send('GET', `/checkout/${offerId}`)).status;
    expect(await page()).toBe(200);
    expect(await suspend(id)).toMatchObject({ status: 200, body: { id, status: 'suspended' } });
    for (const key of [testKey, liveKey]) {
      expectError(await http.call('GET', '/offers', { key }), 401, 'Unauthorized');
    }
    expect(await page()).toBe(404);
    const suspended = {
      id: expect.stringMatching(/^op_/),
      at: http.now.toISOString(),
      by: 'staff',
      reason: REASON,
      action: 'merchant.suspended',
      details: {},
    };
    expect(await journalOf(http, id)).toEqual([suspended]);
    http.later(1_000);
    const active = { id, status: 'active', updatedAt: http.now.toISOString() };
    expect(await reinstate(id, 'checked')).toMatchObject({ status: 200, body: active });
    expect([await statusesWith(testKey, liveKey), await page()]).toEqual([[200, 200], 200]);
    expect(await journalOf(http, id)).toMatchObject([
      { action: 'merchant.reinstated', reason: 'checked' },
      { action: 'merchant.suspended', reason: REASON },
    ]);
  });

  it('happen once for many simultaneous requests', async () => {
    const { merchant } = await http.merchant();
    const replies = await Promise.all(Array.from({ length: 8 }, () => suspend(merchant._id)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect(await journalOf(http, merchant._id)).toHaveLength(1);
  });

  it('refuse a merchant that is so already, and journal nothing', async () => {
    const { merchant } = await http.merchant();
    expectError(await reinstate(merchant._id), 409, 'Merchant is active; reinstate needs suspended');
    await suspend(merchant._id);
    expectError(await suspend(merchant._id), 409, 'Merchant is suspended; suspend needs active');
    expect(await journalOf(http, merchant._id)).toHaveLength(1);
  });
});
