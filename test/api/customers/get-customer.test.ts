import { idOf, useHttp } from '../../support/http.ts';

const http = useHttp();
describe('GET /customers/{customerId} 200', () => {
  it('shows the same as the creation', async () => {
    const { testKey: key } = await http.merchant();
    const made = await http.call('POST', '/customers', { key, body: { name: 'Ada' } });
    const read = await http.call('GET', `/customers/${idOf(made)}`, { key });
    expect([read.status, read.body]).toEqual([200, made.body]);
  });
});
