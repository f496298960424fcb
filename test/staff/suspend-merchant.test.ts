import { offerBody } from '../support/bodies.ts';
import { type HttpHarness, idOf, startHttp } from '../support/http.ts';
import { journalOf, NOBODY, REASON, staff } from './support/staff.ts';

let http: HttpHarness;
beforeAll(async () => {
  http = await startHttp();
});

function suspend(id: string, body: unknown = { reason: REASON }) {
  return staff(http, 'POST', `/merchants/${id}/suspend`, body);
}

describe('POST /staff/api/merchants/{merchantId}/suspend 200', () => {
  it('blocks both keys and the checkout page, and records who did it and why', async () => {
    const { merchant, testKey, liveKey } = await http.merchant();
    const offerId = idOf(await http.call('POST', '/offers', { key: testKey, body: offerBody() }));
    expect((await http.send('GET', `/checkout/${offerId}`)).status).toBe(200);
    const { status, body } = await suspend(merchant._id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: merchant._id, status: 'suspended' });
    for (const key of [testKey, liveKey]) {
      const refused = await http.call('GET', '/offers', { key });
      expect([refused.status, refused.body]).toEqual([401, { error: 'Unauthorized' }]);
    }
    expect((await http.send('GET', `/checkout/${offerId}`)).status).toBe(404);
    expect(await journalOf(http, merchant._id)).toEqual([
      {
        id: expect.stringMatching(/^op_/),
        at: http.now.toISOString(),
        by: 'staff',
        reason: REASON,
        action: 'merchant.suspended',
        details: {},
      },
    ]);
  });

  it('happens once for many simultaneous requests', async () => {
    const { merchant } = await http.merchant();
    const replies = await Promise.all(Array.from({ length: 8 }, () => suspend(merchant._id)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect(await journalOf(http, merchant._id)).toHaveLength(1);
  });
});

describe('POST /staff/api/merchants/{merchantId}/suspend 400', () => {
  it.each([
    [{}, 'reason is required'],
    [{ reason: '' }, 'reason must be 1 to 500 characters long'],
    [{ reason: 'x'.repeat(501) }, 'reason must be 1 to 500 characters long'],
    [{ reason: 7 }, 'reason must be a string'],
  ])('needs a reason: %j', async (body, error) => {
    const { merchant, testKey } = await http.merchant();
    expect(await suspend(merchant._id, body)).toMatchObject({ status: 400, body: { error } });
    expect((await http.call('GET', '/offers', { key: testKey })).status).toBe(200);
  });
});

describe('POST /staff/api/merchants/{merchantId}/suspend 404', () => {
  it('answers for an unknown merchant', async () => {
    expect((await suspend(NOBODY)).body).toEqual({ error: 'Not found' });
  });
});

describe('POST /staff/api/merchants/{merchantId}/suspend 409', () => {
  it('refuses a suspended one, and journals nothing', async () => {
    const { merchant } = await http.merchant();
    await suspend(merchant._id);
    const { status, body } = await suspend(merchant._id);
    expect([status, body]).toEqual([409, { error: 'Merchant is suspended; suspend needs active' }]);
    expect(await journalOf(http, merchant._id)).toHaveLength(1);
  });
});
