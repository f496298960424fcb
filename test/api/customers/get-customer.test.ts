import { type HttpHarness, idOf, startHttp } from '../../support/http.ts';

let http: HttpHarness;
beforeAll(async () => {
  http = await startHttp();
});

describe('GET /customers/{customerId} 200', () => {
  it('shows the same as the creation', async () => {
    const { testKey: key } = await http.merchant();
    const made = await http.call('POST', '/customers', { key, body: { name: 'Ada' } });
    const read = await http.call('GET', `/customers/${idOf(made)}`, { key });
    expect([read.status, read.body]).toEqual([200, made.body]);
  });
});

describe('GET /customers/{customerId} 404', () => {
  it('finds no customer with an unknown id', async () => {
    const { testKey: key } = await http.merchant();
    const { status, body } = await http.call('GET', '/customers/cust_01hm0000000000000000000009', { key });
    expect([status, body]).toEqual([404, { error: 'Not found' }]);
  });
});
