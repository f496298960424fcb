import { offerBody } from '../../support/bodies.ts';
import { expectError, idOf, useHttp } from '../../support/http.ts';

const http = useHttp();
let testKey: string;
beforeEach(async () => {
  ({ testKey } = await http.merchant());
});

describe('GET /offers/{offerId} 200', () => {
  it('shows the same as the creation', async () => {
    const made = await http.call('POST', '/offers', { key: testKey, body: offerBody({ identifier: 'pro' }) });
    const read = await http.call('GET', `/offers/${idOf(made)}`, { key: testKey });
    expect(read.status).toBe(200);
    expect(read.body).toEqual(made.body);
  });
});

describe('GET /offers/{offerId} 404', () => {
  it.each(['offer_01hm0000000000000000000009', 'x', '%00', 'offer_%F0%9F%92%A9'])('finds no %s', async (id) => {
    expectError(await http.call('GET', `/offers/${id}`, { key: testKey }), 404, 'Not found');
  });
});
