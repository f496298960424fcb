import { staff } from '../../staff/support/staff.ts';
import { ALICE } from '../../support/bodies.ts';
import { expectError, idOf, idsOf, useHttp } from '../../support/http.ts';

const http = useHttp();
async function registered(): Promise<{ key: string; id: string }> {
  const { testKey: key } = await http.merchant();
  const made = await http.call('POST', '/wallets', { key, body: { tokenKey: 'usdc-base', receiverWallet: ALICE } });
  return { key, id: idOf(made) };
}

describe('DELETE /wallets/{id} 200', () => {
  it('answers when staff have removed the address', async () => {
    const { key, id } = await registered();
    await http.store.records.change('wallets', id, {}, { set: { receiverWallet: null } });
    const { status, body } = await http.call('DELETE', `/wallets/${id}`, { key });
    expect([status, body]).toEqual([200, { id, deleted: true }]);
  });

  it("answers once: the id and the staff's row are gone, and the token gets a new id", async () => {
    const { key, id } = await registered();
    await http.store.records.change('wallets', id, {}, { set: { receiverWallet: null } });
    const deletes = await Promise.all([1, 2, 3].map(() => http.call('DELETE', `/wallets/${id}`, { key })));
    expect(deletes.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
    const again = await http.call('POST', '/wallets', { key, body: { tokenKey: 'usdc-base', receiverWallet: ALICE } });
    expect(again.status).toBe(201);
    expect(idOf(again)).not.toBe(id);
    expect(idsOf(await http.call('GET', '/wallets', { key }), 'wallets')).toEqual([idOf(again)]);
    const [deleted] = await http.store.records.get('wallets', [id]);
    const account = await staff(http, 'GET', `/merchants/${deleted?.merchantId}`);
    expect(account.body).toMatchObject({ wallets: [{ id: idOf(again) }] });
    const removed = await staff(http, 'DELETE', `/merchants/${deleted?.merchantId}/wallets/${id}`, { reason: 'gone' });
    expect(removed.status).toBe(404);
  });
});

describe('DELETE /wallets/{id} 409', () => {
  it('refuses while an address is registered, and says what to do', async () => {
    const { key, id } = await registered();
    const reply = await http.call('DELETE', `/wallets/${id}`, { key });
    expectError(reply, 409, 'Wallet has an address registered for usdc-base; register a different one instead');
  });
});
