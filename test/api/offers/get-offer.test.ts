import { offerBody } from '../../support/bodies.ts';
import { expectError, idOf, useHttp, useMerchant } from '../../support/http.ts';

const http = useHttp();
const merchant = useMerchant(http);

describe('GET /offers/{offerId} 200', () => {
  it('shows the same as the creation', async () => {
    const made = await merchant.post('/offers', offerBody({ identifier: 'pro' }));
    const read = await merchant.get(`/offers/${idOf(made)}`);
    expect(read.status).toBe(200);
    expect(read.body).toEqual(made.body);
  });
});

describe('GET /offers/{offerId} 404', () => {
  it.each(['offer_01hm0000000000000000000009', 'x', '%00', 'offer_%F0%9F%92%A9'])('finds no %s', async (id) => {
    expectError(await merchant.get(`/offers/${id}`), 404, 'Not found');
  });
});
