import { testOperator } from '../../stage/scripted-chain.ts';
import { ALICE, BOB } from '../support/bodies.ts';
import { type HttpHarness, idOf, startHttp } from '../support/http.ts';
import { journalOf, NOBODY, REASON, staff } from './support/staff.ts';

let http: HttpHarness;
beforeAll(async () => {
  http = await startHttp();
});

function set(merchantId: string, body: object = {}) {
  const wallet = { mode: 'test', tokenKey: 'usdc-base', receiverWallet: ALICE, reason: REASON };
  return staff(http, 'PUT', `/merchants/${merchantId}/wallets`, { ...wallet, ...body });
}

/** The data of the events about a wallet, in order. */
async function reportedOf(walletId: string): Promise<unknown[]> {
  return (await http.billing.eventsOf(walletId)).map(({ data }) => data);
}

describe('PUT /staff/api/merchants/{merchantId}/wallets 201', () => {
  it('registers a wallet in the named environment, and informs the merchant that staff did it', async () => {
    const { merchant, testKey, liveKey } = await http.merchant();
    const reply = await set(merchant._id, { receiverWallet: ALICE.toLowerCase() });
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({ mode: 'test', tokenKey: 'usdc-base', chainId: 8453, receiverWallet: ALICE });
    expect((await http.call('GET', '/wallets', { key: testKey })).body).toMatchObject({
      wallets: [{ id: idOf(reply), merchantId: merchant._id, receiverWallet: ALICE }],
    });
    expect((await http.call('GET', '/wallets', { key: liveKey })).body).toEqual({ wallets: [] });
    const data = { tokenKey: 'usdc-base', previousWallet: null, newWallet: ALICE, source: 'dashboard' };
    expect(await reportedOf(idOf(reply))).toEqual([data]);
    expect(await journalOf(http, merchant._id)).toMatchObject([
      {
        action: 'wallet.set',
        reason: REASON,
        details: {
          walletId: idOf(reply),
          mode: 'test',
          tokenKey: 'usdc-base',
          previousWallet: null,
          newWallet: ALICE,
        },
      },
    ]);
  });
});

describe('PUT /staff/api/merchants/{merchantId}/wallets 200', () => {
  it("replaces the merchant's own address in the same row", async () => {
    const { merchant, testKey: key } = await http.merchant();
    const own = await http.call('POST', '/wallets', { key, body: { tokenKey: 'usdc-base', receiverWallet: ALICE } });
    const reply = await set(merchant._id, { receiverWallet: BOB });
    expect([reply.status, idOf(reply)]).toEqual([200, idOf(own)]);
    expect(await reportedOf(idOf(own))).toEqual([
      { tokenKey: 'usdc-base', previousWallet: null, newWallet: ALICE, source: 'api' },
      { tokenKey: 'usdc-base', previousWallet: ALICE, newWallet: BOB, source: 'dashboard' },
    ]);
    expect(await journalOf(http, merchant._id)).toMatchObject([{ details: { previousWallet: ALICE, newWallet: BOB } }]);
  });

  it('changes, sends and journals nothing if the address is there already', async () => {
    const { merchant } = await http.merchant();
    const first = await set(merchant._id);
    const again = await set(merchant._id);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await reportedOf(idOf(first))).toHaveLength(1);
    expect(await journalOf(http, merchant._id)).toHaveLength(1);
  });
});

describe('PUT /staff/api/merchants/{merchantId}/wallets 400', () => {
  it.each([
    [{ mode: 'sandbox' }, 'mode must be one of test, live'],
    [{ reason: undefined }, 'reason is required'],
    [{ tokenKey: 'nope' }, expect.stringContaining('tokenKey')],
    [{ mode: 'live', tokenKey: 'usdc-local-evm' }, expect.stringContaining('tokenKey')],
    [{ receiverWallet: '0x0000000000000000000000000000000000000000' }, expect.stringContaining('receiverWallet')],
    [{ receiverWallet: 'somewhere' }, expect.stringContaining('receiverWallet')],
  ])('refuses the same as for the merchant: %j', async (body, error) => {
    const { merchant } = await http.merchant();
    const reply = await set(merchant._id, body);
    expect([reply.status, reply.body]).toEqual([400, { error }]);
    expect(await journalOf(http, merchant._id)).toEqual([]);
  });

  it("refuses the merchant's operator", async () => {
    const { merchant } = await http.merchant();
    const operator = testOperator(merchant._id, 'test');
    expect(await set(merchant._id, { receiverWallet: operator })).toMatchObject({
      status: 400,
      body: { error: 'receiverWallet must not be the operator, which only passes money on' },
    });
  });
});

describe('PUT /staff/api/merchants/{merchantId}/wallets 404', () => {
  it('answers for an unknown merchant', async () => {
    expect((await set(NOBODY)).status).toBe(404);
    expect(await http.store.records.count('wallets', { merchantId: NOBODY })).toBe(0);
  });
});
