import { createHash } from 'node:crypto';
import { apiKeyDoc } from '../../src/model/secrets.ts';
import { type HttpHarness, startHttp } from '../support/http.ts';
import { journalOf, REASON, staff } from './support/staff.ts';

let http: HttpHarness;
beforeAll(async () => {
  http = await startHttp();
});

function revoke(merchantId: string, keyId: string, body: unknown = { reason: REASON }) {
  return staff(http, 'DELETE', `/merchants/${merchantId}/keys/${keyId}`, body);
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function shownId(key: string): string {
  return hashOf(key).slice(0, 16);
}

describe('DELETE /staff/api/merchants/{merchantId}/keys/{keyId} 200', () => {
  it('revokes that key at once, and no other', async () => {
    const { merchant, testKey, liveKey } = await http.merchant();
    const { status, body } = await revoke(merchant._id, shownId(testKey));
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: shownId(testKey), mode: 'test', revokedAt: http.now.toISOString() });
    const refused = await http.call('GET', '/offers', { key: testKey });
    expect([refused.status, refused.body]).toEqual([401, { error: 'Unauthorized' }]);
    expect((await http.call('GET', '/offers', { key: liveKey })).status).toBe(200);
    expect(await journalOf(http, merchant._id)).toMatchObject([
      { action: 'key.revoked', reason: REASON, details: { keyId: shownId(testKey), hint: testKey.slice(-4) } },
    ]);
  });

  it('finds it after a thousand revoked ones', async () => {
    const { merchant, testKey } = await http.merchant();
    const before = Array.from({ length: 1_000 }, (_, n) => ({
      ...apiKeyDoc(`tl_test_${n}`, merchant._id, 'test', http.now),
      _id: String(n).padStart(64, '0'),
      revokedAt: http.now,
    }));
    await http.store.records.insert('apiKeys', before);
    const account = await staff(http, 'GET', `/merchants/${merchant._id}`);
    expect(JSON.stringify(account.body)).toContain(shownId(testKey));
    expect((await revoke(merchant._id, shownId(testKey))).status).toBe(200);
    expect((await http.call('GET', '/offers', { key: testKey })).status).toBe(401);
  });
});

describe('DELETE /staff/api/merchants/{merchantId}/keys/{keyId} 400', () => {
  it('needs a reason', async () => {
    const { merchant, testKey } = await http.merchant();
    const { status, body } = await revoke(merchant._id, shownId(testKey), {});
    expect([status, body]).toEqual([400, { error: 'reason is required' }]);
    expect((await http.call('GET', '/offers', { key: testKey })).status).toBe(200);
  });
});

describe('DELETE /staff/api/merchants/{merchantId}/keys/{keyId} 404', () => {
  it("finds nothing by another text: the key, its whole hash, another merchant's name", async () => {
    const { merchant, testKey } = await http.merchant();
    const stranger = await http.merchant();
    const names = [
      '0000000000000000',
      testKey,
      hashOf(testKey),
      shownId(testKey).slice(0, 15),
      shownId(stranger.testKey),
    ];
    for (const name of names) expect((await revoke(merchant._id, name)).status).toBe(404);
    for (const key of [testKey, stranger.testKey]) {
      expect((await http.call('GET', '/offers', { key })).status).toBe(200);
    }
  });
});

describe('DELETE /staff/api/merchants/{merchantId}/keys/{keyId} 409', () => {
  it('refuses a revoked one', async () => {
    const { merchant, testKey } = await http.merchant();
    await revoke(merchant._id, shownId(testKey));
    const { status, body } = await revoke(merchant._id, shownId(testKey));
    expect([status, body]).toEqual([409, { error: 'Key is revoked; revoke needs one in force' }]);
  });
});
