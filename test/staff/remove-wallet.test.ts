import { ALICE, BOB } from '../support/bodies.ts';
import { type HttpHarness, idOf, startHttp } from '../support/http.ts';
import { journalOf, NOBODY, REASON, staff } from './support/staff.ts';

let http: HttpHarness;
beforeAll(async () => {
  http = await startHttp();
});

async function withWallet() {
  const { merchant, testKey: key } = await http.merchant();
  const made = await http.call('POST', '/wallets', { key, body: { tokenKey: 'usdc-base', receiverWallet: ALICE } });
  return { merchantId: merchant._id, key, walletId: idOf(made) };
}

function remove(merchantId: string, walletId: string, body: unknown = { reason: REASON }) {
  return staff(http, 'DELETE', `/merchants/${merchantId}/wallets/${walletId}`, body);
}

describe('DELETE /staff/api/merchants/{merchantId}/wallets/{walletId} 200', () => {
  it('removes the address, sends an event, and keeps an unlisted row', async () => {
    const { merchantId, key, walletId } = await withWallet();
    const { status, body } = await remove(merchantId, walletId);
    expect([status, body]).toEqual([200, expect.objectContaining({ id: walletId, receiverWallet: null })]);
    expect((await http.call('GET', '/wallets', { key })).body).toEqual({ wallets: [] });
    const [stored] = await http.store.records.get('wallets', [walletId]);
    const data = { tokenKey: 'usdc-base', previousWallet: ALICE, newWallet: null, source: 'dashboard' };
    expect(stored).toMatchObject({ receiverWallet: null, eventSeq: 2 });
    expect((await http.billing.eventsOf(walletId)).at(-1)).toMatchObject({
      sequence: 2,
      event: 'wallet.updated',
      data,
    });
    expect(await journalOf(http, merchantId)).toMatchObject([
      { action: 'wallet.removed', reason: REASON, details: { walletId, previousWallet: ALICE, newWallet: null } },
    ]);
  });

  it('lets the merchant delete the row, and register the token again', async () => {
    const { merchantId, key, walletId } = await withWallet();
    expect((await http.call('DELETE', `/wallets/${walletId}`, { key })).status).toBe(409);
    await remove(merchantId, walletId);
    const deleted = await http.call('DELETE', `/wallets/${walletId}`, { key });
    expect([deleted.status, deleted.body]).toEqual([200, { id: walletId, deleted: true }]);
    const again = await http.call('POST', '/wallets', { key, body: { tokenKey: 'usdc-base', receiverWallet: BOB } });
    expect(again.status).toBe(201);
    expect((await http.billing.eventsOf(idOf(again))).at(-1)).toMatchObject({
      data: { tokenKey: 'usdc-base', previousWallet: null, newWallet: BOB, source: 'api' },
    });
    expect((await http.call('GET', '/wallets', { key })).body).toMatchObject({ wallets: [{ receiverWallet: BOB }] });
  });
});

describe('DELETE /staff/api/merchants/{merchantId}/wallets/{walletId} 400', () => {
  it('needs a reason', async () => {
    const { merchantId, walletId } = await withWallet();
    expect(await remove(merchantId, walletId, {})).toMatchObject({
      status: 400,
      body: { error: 'reason is required' },
    });
  });
});

describe('DELETE /staff/api/merchants/{merchantId}/wallets/{walletId} 404', () => {
  it("finds neither an unknown wallet nor another merchant's", async () => {
    const { merchantId, key, walletId } = await withWallet();
    const { merchant: stranger } = await http.merchant();
    const statuses = await Promise.all([
      remove(merchantId, 'wal_x'),
      remove(stranger._id, walletId),
      remove(NOBODY, walletId),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect((await http.call('GET', '/wallets', { key })).body).toMatchObject({ wallets: [{ receiverWallet: ALICE }] });
  });
});

describe('DELETE /staff/api/merchants/{merchantId}/wallets/{walletId} 409', () => {
  it('refuses one without an address', async () => {
    const { merchantId, walletId } = await withWallet();
    await remove(merchantId, walletId);
    const { status, body } = await remove(merchantId, walletId);
    expect([status, body]).toEqual([409, { error: 'Wallet has no address registered for usdc-base' }]);
    expect(await journalOf(http, merchantId)).toHaveLength(1);
  });
});
