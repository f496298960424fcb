import { type HttpHarness, startHttp } from '../support/http.ts';
import { journalOf, NOBODY, REASON, staff } from './support/staff.ts';

let http: HttpHarness;
beforeAll(async () => {
  http = await startHttp();
});

describe('POST /staff/api/merchants/{merchantId}/reinstate 200', () => {
  it('lets the keys in again, and keeps both entries', async () => {
    const { merchant, testKey } = await http.merchant();
    const { _id: id } = merchant;
    await staff(http, 'POST', `/merchants/${id}/suspend`, { reason: 'complaints' });
    http.now = new Date(http.now.getTime() + 1_000);
    const { status, body } = await staff(http, 'POST', `/merchants/${id}/reinstate`, { reason: 'checked' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, status: 'active', updatedAt: http.now.toISOString() });
    expect((await http.call('GET', '/offers', { key: testKey })).status).toBe(200);
    expect(await journalOf(http, id)).toMatchObject([
      { action: 'merchant.reinstated', reason: 'checked' },
      { action: 'merchant.suspended', reason: 'complaints' },
    ]);
  });
});

describe('POST /staff/api/merchants/{merchantId}/reinstate 400', () => {
  it('needs a reason', async () => {
    const { merchant } = await http.merchant();
    const { status, body } = await staff(http, 'POST', `/merchants/${merchant._id}/reinstate`, {});
    expect([status, body]).toEqual([400, { error: 'reason is required' }]);
  });
});

describe('POST /staff/api/merchants/{merchantId}/reinstate 404', () => {
  it('answers for an unknown merchant', async () => {
    const { status } = await staff(http, 'POST', `/merchants/${NOBODY}/reinstate`, { reason: REASON });
    expect(status).toBe(404);
  });
});

describe('POST /staff/api/merchants/{merchantId}/reinstate 409', () => {
  it('refuses one that is not suspended', async () => {
    const { merchant } = await http.merchant();
    const { status, body } = await staff(http, 'POST', `/merchants/${merchant._id}/reinstate`, { reason: REASON });
    expect([status, body]).toEqual([409, { error: 'Merchant is active; reinstate needs suspended' }]);
  });
});
