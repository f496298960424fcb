import { createHash } from 'node:crypto';
import { ALICE, SOL_ALICE } from '../support/bodies.ts';
import { type HttpHarness, idOf, startHttp } from '../support/http.ts';
import { NOBODY, REASON, staff } from './support/staff.ts';

let http: HttpHarness;
beforeAll(async () => {
  http = await startHttp();
});

function shownId(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}

describe('GET /staff/api/merchants/{merchantId} 200', () => {
  it('shows account, keys, limits, fee, webhook settings and the wallets of both environments', async () => {
    const { merchant, testKey, liveKey } = await http.merchant('Coffee Club');
    await http.call('PATCH', '/webhooks/endpoint', { key: liveKey, body: { url: 'https://shop.example/live' } });
    await http.call('PATCH', '/webhooks/endpoint', { key: testKey, body: { extraEvents: true } });
    const onTest = await http.call('POST', '/wallets', {
      key: testKey,
      body: { tokenKey: 'usdc-base', receiverWallet: ALICE },
    });
    const onLive = await http.call('POST', '/wallets', {
      key: liveKey,
      body: { tokenKey: 'usdc-solana', receiverWallet: SOL_ALICE },
    });
    const { status, body } = await staff(http, 'GET', `/merchants/${merchant._id}`);
    const at = http.now.toISOString();
    expect(status).toBe(200);
    expect(body).toEqual({
      id: merchant._id,
      name: 'Coffee Club',
      branding: { logoPath: null, accentColor: null },
      status: 'active',
      feeBps: 100,
      limitFactor: 1,
      createdAt: at,
      updatedAt: at,
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
        { ...rowOf(idOf(onLive), 'live', 'usdc-solana', 101, SOL_ALICE), createdAt: at, updatedAt: at },
        { ...rowOf(idOf(onTest), 'test', 'usdc-base', 8453, ALICE), createdAt: at, updatedAt: at },
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
    expect(body).toMatchObject({ wallets: [{ id: walletId, receiverWallet: null }] });
    expect(body).toMatchObject({
      keys: expect.arrayContaining([expect.objectContaining({ mode: 'test', revokedAt: http.now.toISOString() })]),
    });
    const [stored] = await http.store.records.get('merchants', [id]);
    const said = JSON.stringify(body);
    expect(stored?.webhook.secret).toMatch(/^whsec_/);
    const hashes = [testKey, liveKey].map((key) => createHash('sha256').update(key).digest('hex'));
    for (const secret of [testKey, liveKey, stored?.webhook.secret ?? '', ...hashes])
      expect(said).not.toContain(secret);
  });
});

describe('GET /staff/api/merchants/{merchantId} 404', () => {
  it('answers for an unknown merchant', async () => {
    expect(await staff(http, 'GET', `/merchants/${NOBODY}`)).toMatchObject({
      status: 404,
      body: { error: 'Not found' },
    });
  });
});

function rowOf(id: string, mode: string, tokenKey: string, chainId: number, receiverWallet: string): object {
  return { id, mode, tokenKey, chainId, receiverWallet };
}
