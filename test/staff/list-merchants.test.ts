import { type HttpHarness, idsOf, startHttp } from '../support/http.ts';
import { REASON, staff } from './support/staff.ts';

let http: HttpHarness;
/** Newest first. */
const ids: string[] = [];
beforeAll(async () => {
  http = await startHttp();
  for (const name of ['first', 'second', 'third', 'fourth']) {
    http.now = new Date(http.now.getTime() + 1_000);
    ids.unshift((await http.merchant(name)).merchant._id);
  }
  for (const id of [ids[0], ids[2]]) await staff(http, 'POST', `/merchants/${id}/suspend`, { reason: REASON });
});

describe('GET /staff/api/merchants 200', () => {
  it('lists merchants, newest first, without secrets', async () => {
    const { status, body } = await staff(http, 'GET', '/merchants');
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
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      })),
    });
  });

  it('continues after a merchant that its filter leaves out meanwhile', async () => {
    const first = await staff(http, 'GET', '/merchants?status=active&limit=1');
    expect(first.body).toMatchObject({ hasMore: true });
    await staff(http, 'POST', `/merchants/${ids[1]}/suspend`, { reason: REASON });
    const next = await staff(http, 'GET', `/merchants?status=active&limit=1&startingAfter=${ids[1]}`);
    expect(next.body).toMatchObject({ hasMore: false, merchants: [{ id: ids[3] }] });
    await staff(http, 'POST', `/merchants/${ids[1]}/reinstate`, { reason: REASON });
  });

  it('pages, and filters before it pages', async () => {
    expect(idsOf(await staff(http, 'GET', '/merchants?limit=2&start=1'), 'merchants')).toEqual(ids.slice(1, 3));
    expect(idsOf(await staff(http, 'GET', '/merchants?status=suspended&limit=1&start=1'), 'merchants')).toEqual([
      ids[2],
    ]);
    expect(idsOf(await staff(http, 'GET', '/merchants?status=active'), 'merchants')).toEqual([ids[1], ids[3]]);
  });
});

describe('GET /staff/api/merchants 400', () => {
  it.each([
    ['limit=0', 'limit must be between 1 and 100'],
    ['limit=101', 'limit must be between 1 and 100'],
    ['start=-1', 'start must be between 0 and 1000000000'],
    ['status=gone', 'status must be one of active, suspended'],
  ])('refuses %s', async (query, error) => {
    expect(await staff(http, 'GET', `/merchants?${query}`)).toMatchObject({ status: 400, body: { error } });
  });
});
