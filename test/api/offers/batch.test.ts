import { offerBody } from '../../support/bodies.ts';
import { expectError, idOf, type Reply, useHttp, useMerchant } from '../../support/http.ts';

const http = useHttp();
const merchant = useMerchant(http);
let ids: string[];
beforeEach(async () => {
  const bodies = [offerBody({ identifier: 'a' }), offerBody({ identifier: 'b' })];
  ids = [];
  for (const body of bodies) ids.push(idOf(await merchant.post('/offers', body)));
});

function patch(body: unknown): Promise<Reply> {
  return merchant.patch('/offers/batch', body);
}

function remove(body?: unknown, query = ''): Promise<Reply> {
  return merchant.delete(`/offers/batch${query}`, body);
}

describe('PATCH /offers/batch 200', () => {
  it('updates each offer by itself, in the given order', async () => {
    const { status, body } = await patch({
      offers: [
        { id: ids[0], active: false },
        { id: 'offer_x', active: false },
        { id: ids[1], identifier: 'a' },
        { id: ids[1], name: '' },
        { id: ids[1] },
        { id: ids[1], pricing: [] },
        { id: ids[1], name: 'B2' },
      ],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      results: [
        { id: ids[0], status: 200, offer: { id: ids[0], active: false } },
        { id: 'offer_x', status: 404, error: 'Not found' },
        { id: ids[1], status: 409, error: 'An offer with the identifier "a" already exists' },
        { id: ids[1], status: 400, error: 'name must be 1 to 200 characters long' },
        { id: ids[1], status: 400, error: 'body must have at least one field that can be updated' },
        { id: ids[1], status: 400, error: 'pricing cannot be updated' },
        { id: ids[1], status: 200, offer: { name: 'B2' } },
      ],
    });
  });

  it('names the unknown fields', async () => {
    const { headers } = await patch({ offers: [{ id: ids[0], name: 'A', nmae: 'A' }] });
    expect(headers.get('x-ignored-fields')).toBe('offers[0].nmae');
  });
});

describe('PATCH /offers/batch 400', () => {
  it.each([
    [{ offers: [] }, 'offers must have 1 to 100 items'],
    [{ offers: Array.from({ length: 101 }, () => ({ id: 'x' })) }, 'offers must have 1 to 100 items'],
    [{ offers: [{ id: 'x' }, { active: true }] }, 'offers[1].id is required'],
    [{ offers: ['x'] }, 'offers[0] must be a JSON object'],
  ])('refuses a wrong body as a whole', async (body, message) => {
    expectError(await patch(body), 400, message);
  });
});

describe('DELETE /offers/batch 200', () => {
  it('reads ids from the body, and shows each offer as it was', async () => {
    await patch({ offers: [{ id: ids[0], identifier: 'gone' }] });
    const before = await merchant.get(`/offers/${ids[0]}`);
    const { status, body } = await remove({ ids: [ids[0], 'offer_x', ids[0]] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      results: [
        { id: ids[0], status: 200, offer: before.body },
        { id: 'offer_x', status: 404, error: 'Not found' },
        { id: ids[0], status: 404, error: 'Not found' },
      ],
    });
  });

  it('reads ids from the query', async () => {
    const { status, body } = await remove(undefined, `?ids=${ids.join(',')}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ results: ids.map((id) => ({ id, status: 200 })) });
  });
});

describe('DELETE /offers/batch 400', () => {
  it.each([
    [undefined, '', 'ids is required'],
    [{ ids: [] }, '', 'ids must have 1 to 100 items'],
    [undefined, '?ids=', 'ids must have 1 to 100 items'],
    [undefined, '?ids=a,,b', 'ids must have 1 to 100 items'],
    [{ ids: Array.from({ length: 101 }, () => 'x') }, '', 'ids must have 1 to 100 items'],
    [{ ids: ['a'] }, '?ids=b', 'ids must be in the body or in the query, not in both'],
    [{ ids: [1] }, '', 'ids[0] must be a string'],
  ])('refuses %j with %s', async (body, query, message) => {
    expectError(await remove(body, query), 400, message);
  });
});

describe('the limits of /offers/batch', () => {
  it('count one call, whatever its size', async () => {
    const replies: number[] = [];
    for (let call = 0; call < 11; call += 1) {
      replies.push((await patch({ offers: ids.map((id) => ({ id, active: true })) })).status);
    }
    expect(replies).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
  });
});
