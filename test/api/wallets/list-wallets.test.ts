import { ALICE, BOB } from '../../support/bodies.ts';
import { idOf, idsOf, useHttp } from '../../support/http.ts';

const http = useHttp();
describe('GET /wallets 200', () => {
  it('has one row per token, the newest first', async () => {
    const { testKey: key } = await http.merchant();
    const first = await http.call('POST', '/wallets', { key, body: { tokenKey: 'usdc-base', receiverWallet: ALICE } });
    http.now = new Date(http.now.getTime() + 1000);
    const second = await http.call('POST', '/wallets', { key, body: { tokenKey: 'usdt-bnb', receiverWallet: BOB } });
    await http.call('POST', '/wallets', { key, body: { tokenKey: 'usdc-base', receiverWallet: BOB } });
    const reply = await http.call('GET', '/wallets', { key });
    expect(reply.status).toBe(200);
    expect(idsOf(reply, 'wallets')).toEqual([idOf(second), idOf(first)]);
  });

  it('omits a row whose address staff have removed', async () => {
    const { testKey: key } = await http.merchant();
    const made = await http.call('POST', '/wallets', { key, body: { tokenKey: 'usdc-base', receiverWallet: ALICE } });
    await http.store.records.change('wallets', idOf(made), {}, { set: { receiverWallet: null } });
    expect((await http.call('GET', '/wallets', { key })).body).toEqual({ wallets: [] });
    const again = await http.call('POST', '/wallets', { key, body: { tokenKey: 'usdc-base', receiverWallet: BOB } });
    expect([again.status, idOf(again)]).toEqual([201, idOf(made)]);
  });
});
