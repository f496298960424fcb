import { offerBody } from '../../support/bodies.ts';
import { expectError, idOf, type Reply, useHttp, useMerchant } from '../../support/http.ts';

const http = useHttp();
const merchant = useMerchant(http);
let offer: Reply;
beforeEach(async () => {
  offer = await merchant.post(
    '/offers',
    offerBody({ identifier: 'pro', description: 'Old', metadata: { a: '1', b: '2' }, features: [{ x: 1 }] }),
  );
});

function patch(body: unknown): Promise<Reply> {
  return merchant.patch(`/offers/${idOf(offer)}`, body);
}

describe('GET /offers/{offerId}', () => {
  it('shows the same as the creation', async () => {
    const { status, body } = await merchant.get(`/offers/${idOf(offer)}`);
    expect([status, body]).toEqual([200, offer.body]);
  });
});

describe('PATCH /offers/{offerId} 200', () => {
  it('changes only the sent fields', async () => {
    http.later(1000);
    const { status, body } = await patch({ active: false });
    expect(status).toBe(200);
    expect(body).toEqual({ ...Object(offer.body), active: false, updatedAt: http.now.toISOString() });
  });

  it('changes every field that can be updated', async () => {
    const change = {
      name: 'Pro 2',
      description: 'New',
      imageUrl: 'https://shop.example.com/2.png',
      identifier: 'pro-2',
      productRef: 'sku-8',
      active: false,
      availableQuantity: 7,
      expiresAt: '2031-01-01T00:00:00.000Z',
      afterCompletion: { a: 1 },
      features: [{ y: 2 }],
      collectFields: { b: 2 },
      allowedPaymentMethods: { c: 3 },
      reference: 'ref',
    };
    expect((await patch(change)).body).toMatchObject(change);
  });

  it('merges metadata, and removes a key with null', async () => {
    expect((await patch({ metadata: { b: null, c: '3' } })).body).toMatchObject({ metadata: { a: '1', c: '3' } });
    expect((await patch({ metadata: null })).body).toMatchObject({ metadata: {} });
  });

  it('clears optional fields with null', async () => {
    const { body } = await patch({ description: null, identifier: null, features: null, afterCompletion: null });
    expect(body).toMatchObject({ description: null, identifier: null, features: [], afterCompletion: {} });
    const again = await merchant.post('/offers', offerBody({ identifier: 'pro' }));
    expect(again.status).toBe(201);
  });

  it('keeps both changes of simultaneous writes', async () => {
    await Promise.all([patch({ name: 'N' }), patch({ reference: 'r' }), patch({ metadata: { c: '3' } })]);
    const { body } = await merchant.get(`/offers/${idOf(offer)}`);
    expect(body).toMatchObject({ name: 'N', reference: 'r', metadata: { a: '1', b: '2', c: '3' } });
  });
});

describe('PATCH /offers/{offerId} 400', () => {
  it.each([
    ['nothing', {}, 'body must have at least one field that can be updated'],
    ['nothing that is known', { nmae: 'x' }, 'body must have at least one field that can be updated'],
    ['no name', { name: null }, 'name must be a string'],
    ['neither active nor not', { active: null }, 'active must be true or false'],
    [
      'an end after the year 9999 in UTC',
      { expiresAt: '9999-12-31T23:59:59-01:00' },
      'expiresAt must be between 0000-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z',
    ],
    ['an end before the year 0 in UTC', { expiresAt: '0000-01-01T00:00:00+01:00' }, 'expiresAt must be between 0000'],
    ['metadata of numbers', { metadata: { a: 1 } }, 'metadata.a must be a string'],
    ['metadata that grows too big', { metadata: { big: 'x'.repeat(16_370) } }, 'metadata must be at most 16384 bytes'],
  ])('refuses %s', async (_what, body, message) => {
    expectError(await patch(body), 400, expect.stringContaining(message));
  });

  it('refuses a quantity below the sold and reserved units', async () => {
    await http.store.records.change('offers', idOf(offer), {}, { set: { redeemedCount: 2, holds: ['sub_1'] } });
    const { status, body } = await patch({ availableQuantity: 2 });
    expect([status, body]).toEqual([400, { error: 'availableQuantity must be at least 3: so many units are taken' }]);
    expect((await patch({ availableQuantity: 3 })).status).toBe(200);
    expect((await patch({ availableQuantity: null })).status).toBe(200);
  });
});
