import { z } from 'zod';
import { type HttpHarness, startHttp } from '../support/http.ts';
import { journalOf, NOBODY, REASON, staff } from './support/staff.ts';

let http: HttpHarness;
beforeAll(async () => {
  http = await startHttp();
});

const issued = z.object({ id: z.string(), mode: z.string(), key: z.string(), hint: z.string() });

function issue(id: string, body: object = { mode: 'test' }) {
  return staff(http, 'POST', `/merchants/${id}/keys`, { reason: REASON, ...body });
}

describe('POST /staff/api/merchants/{merchantId}/keys 201', () => {
  it.each(['test', 'live'] as const)('issues another %s key, shown once, beside the others', async (mode) => {
    const { merchant, testKey } = await http.merchant();
    const reply = await issue(merchant._id, { mode });
    const { id, key, hint } = issued.parse(reply.body);
    expect(reply.status).toBe(201);
    expect(key).toMatch(mode === 'test' ? /^tl_test_[0-9A-Za-z]{43}$/ : /^tl_live_[0-9A-Za-z]{43}$/);
    for (const each of [testKey, key]) {
      expect((await http.call('GET', '/offers', { key: each })).status).toBe(200);
    }
    const { body } = await staff(http, 'GET', `/merchants/${merchant._id}`);
    expect(body).toMatchObject({ keys: expect.arrayContaining([expect.objectContaining({ id, mode, hint })]) });
    expect(JSON.stringify(body)).not.toContain(key);
    expect(await journalOf(http, merchant._id)).toMatchObject([
      { action: 'key.issued', reason: REASON, details: { keyId: id, mode, hint: key.slice(-4) } },
    ]);
    expect(JSON.stringify(await journalOf(http, merchant._id))).not.toContain(key);
  });
});

describe('POST /staff/api/merchants/{merchantId}/keys 400', () => {
  it.each([
    [{ mode: 'sandbox' }, 'mode must be one of test, live'],
    [{ mode: undefined }, 'mode is required'],
    [{ mode: 'test', reason: '' }, 'reason must be 1 to 500 characters long'],
  ])('refuses %j', async (body, error) => {
    const { merchant } = await http.merchant();
    expect(await issue(merchant._id, body)).toMatchObject({ status: 400, body: { error } });
  });
});

describe('POST /staff/api/merchants/{merchantId}/keys 404', () => {
  it('answers for an unknown merchant', async () => {
    expect((await issue(NOBODY)).status).toBe(404);
  });
});

describe('POST /staff/api/merchants/{merchantId}/keys 409', () => {
  it('refuses a 51st valid key of one environment; a revoked one does not count', async () => {
    const { merchant } = await http.merchant();
    const ids: string[] = [];
    for (let count = 1; count < 50; count += 1) ids.push(issued.parse((await issue(merchant._id)).body).id);
    expect(await issue(merchant._id)).toMatchObject({
      status: 409,
      body: { error: 'Merchant has 50 test keys; revoke one first' },
    });
    expect((await issue(merchant._id, { mode: 'live' })).status).toBe(201);
    await staff(http, 'DELETE', `/merchants/${merchant._id}/keys/${ids[0]}`, { reason: REASON });
    expect((await issue(merchant._id)).status).toBe(201);
  });
});
