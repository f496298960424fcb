import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { MerchantsDeps } from '../../src/billing/administration/merchants.ts';
import { type HttpHarness, type Reply, STAFF_TOKEN, startHttp } from '../support/http.ts';

let http: HttpHarness;
beforeAll(async () => {
  http = await startHttp();
});

const made = z.strictObject({
  id: z.string().regex(/^mrc_[0-9a-z]{26}$/),
  testKey: z.string().regex(/^tl_test_[0-9A-Za-z]{43}$/),
  liveKey: z.string().regex(/^tl_live_[0-9A-Za-z]{43}$/),
});

function create(body: unknown, authorization = `Bearer ${STAFF_TOKEN}`): Promise<Reply> {
  return http.send('POST', '/staff/api/merchants', { body, headers: { Authorization: authorization } });
}

describe('POST /staff/api/merchants 201', () => {
  it('makes a merchant whose keys work, each in its environment', async () => {
    const { status, body } = await create({ name: 'A shop' });
    expect(status).toBe(201);
    const { id, testKey, liveKey } = made.parse(body);
    for (const [key, isSandbox] of [
      [testKey, true],
      [liveKey, false],
    ] as const) {
      const customer = await http.call('POST', '/customers', { key, body: {} });
      expect(customer.body).toMatchObject({ merchantId: id, isSandbox });
    }
  });

  it('stores only the hashes of the keys', async () => {
    const { id, testKey, liveKey } = made.parse((await create({ name: 'A shop' })).body);
    const keys = await http.store.records.find('apiKeys', { where: { merchantId: id }, limit: 9 });
    const hashes = [testKey, liveKey].map((key) => createHash('sha256').update(key).digest('hex'));
    expect(keys.map(({ _id }) => _id).sort()).toEqual(hashes.sort());
    expect(JSON.stringify(keys)).not.toContain(testKey.slice(8));
  });

  it('answers after all notices of the new merchant', async () => {
    const seen: string[] = [];
    const welcome: MerchantsDeps['welcome'] = async ({ _id }) => void seen.push(_id);
    const own = await startHttp({ change: (deps) => ({ ...deps, welcome }) });
    const headers = { Authorization: `Bearer ${STAFF_TOKEN}` };
    const { body } = await own.send('POST', '/staff/api/merchants', { body: { name: 'A shop' }, headers });
    expect(seen).toEqual([made.parse(body).id]);
  });
});

describe('POST /staff/api/merchants 400', () => {
  it.each([
    [{}, 'name is required'],
    [{ name: '' }, 'name must be 1 to 200 characters long'],
    [{ name: ['a'] }, 'name must be a string'],
  ])('refuses %j', async (body, message) => {
    expect(await create(body)).toMatchObject({ status: 400, body: { error: message } });
  });
});

describe('POST /staff/api/merchants 401', () => {
  it.each(['', 'Bearer', 'Bearer wrong', `Basic ${STAFF_TOKEN}`, STAFF_TOKEN, `Bearer ${STAFF_TOKEN} x`])(
    'refuses "%s"',
    async (authorization) => {
      const reply = await create({ name: 'A shop' }, authorization);
      expect([reply.status, reply.body]).toEqual([401, { error: 'Unauthorized' }]);
    },
  );

  it('refuses an API key', async () => {
    const { testKey } = await http.merchant();
    expect((await http.send('POST', '/staff/api/merchants', { key: testKey, body: {} })).status).toBe(401);
  });
});

describe('POST /staff/api/merchants 404', () => {
  it('answers if no staff token is configured', async () => {
    const own = await startHttp({ change: (deps) => ({ ...deps, staff: null }) });
    const headers = { Authorization: `Bearer ${STAFF_TOKEN}` };
    expect((await own.send('POST', '/staff/api/merchants', { body: {}, headers })).status).toBe(404);
  });
});
