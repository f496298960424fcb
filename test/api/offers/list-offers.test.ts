import { offerBody } from '../../support/bodies.ts';
import { type HttpHarness, idOf, idsOf, type Reply, startHttp } from '../../support/http.ts';

let http: HttpHarness;
let testKey: string;
beforeAll(async () => {
  http = await startHttp();
});
beforeEach(async () => {
  ({ testKey } = await http.merchant());
});

/** Offers one second apart, the oldest first. */
async function offers(...bodies: readonly object[]): Promise<string[]> {
  const ids: string[] = [];
  for (const body of bodies) {
    http.now = new Date(http.now.getTime() + 1000);
    ids.push(idOf(await http.call('POST', '/offers', { key: testKey, body })));
  }
  return ids;
}

function list(query = ''): Promise<Reply> {
  return http.call('GET', `/offers${query}`, { key: testKey });
}

describe('GET /offers 200', () => {
  it('lists newest first and shows the effective page', async () => {
    const ids = await offers(offerBody(), offerBody(), offerBody());
    const reply = await list();
    expect(idsOf(reply, 'offers')).toEqual(ids.toReversed());
    expect(reply.body).toMatchObject({ limit: 20, start: 0 });
  });

  it('pages without gaps or repetitions', async () => {
    const ids = await offers(...Array.from({ length: 5 }, () => offerBody()));
    const pages = [await list('?limit=2'), await list('?limit=2&start=2'), await list('?limit=2&start=4')];
    expect(pages.flatMap((reply) => idsOf(reply, 'offers'))).toEqual(ids.toReversed());
    expect(pages[2]?.body).toMatchObject({ limit: 2, start: 4 });
  });

  it('filters before it pages', async () => {
    const [, hidden, , alsoHidden] = await offers(
      offerBody(),
      offerBody({ active: false }),
      offerBody(),
      offerBody({ active: false }),
    );
    expect(idsOf(await list('?active=false&limit=1'), 'offers')).toEqual([alsoHidden]);
    expect(idsOf(await list('?active=false&limit=1&start=1'), 'offers')).toEqual([hidden]);
    expect(idsOf(await list('?active=true'), 'offers')).toHaveLength(2);
  });

  it('finds one by its exact identifier', async () => {
    const [pro] = await offers(offerBody({ identifier: 'pro' }), offerBody({ identifier: 'pro-2' }));
    expect(idsOf(await list('?identifier=pro'), 'offers')).toEqual([pro]);
    expect(idsOf(await list('?identifier=p'), 'offers')).toEqual([]);
  });
});

describe('GET /offers 400', () => {
  it.each(['0', '101', '-1', '1.5', 'ten', '', '1e1', '%2010'])('refuses limit=%s', async (limit) => {
    const { status, body } = await list(`?limit=${limit}`);
    expect([status, body]).toEqual([400, { error: 'limit must be between 1 and 100' }]);
  });

  it.each(['-1', 'x', '1.5', '99999999999'])('refuses start=%s', async (start) => {
    const { status, body } = await list(`?start=${start}`);
    expect([status, body]).toEqual([400, { error: 'start must be between 0 and 1000000000' }]);
  });
});
