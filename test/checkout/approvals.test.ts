import type { ApprovalDraft } from '../../src/chains/port.ts';
import { expectError } from '../support/http.ts';
import { CheckoutOverHttp, type OnSale } from './support/checkout.ts';

let drafted: ApprovalDraft[] = [];
const checkout = await CheckoutOverHttp.start();
beforeEach(() => {
  drafted = [];
  checkout.later(60_000);
  checkout.chain.approvals = {
    draft: async (approval) => {
      drafted.push(approval);
      return { kind: 'draft', transaction: 'AQ==' };
    },
  };
});

/** A session of a page, and the wallet that has signed for it. */
async function session(sale: OnSale) {
  const payer = checkout.newPayer();
  const body = await checkout.signed(sale, payer);
  await checkout.post(`/offers/${sale.offerId}/subscriptions`, body);
  return { address: payer.address, path: `/sessions/${body.sessionKey}/approvals` };
}

describe('POST …/sessions/{sessionKey}/approvals', () => {
  it("drafts an approval of this merchant's operator only, or its end", async () => {
    const sale = await checkout.offer();
    const { address, path } = await session(sale);
    for (const value of ['118800000', '0']) {
      expect(await checkout.post(path, { address, value })).toMatchObject({
        status: 200,
        body: { transaction: 'AQ==' },
      });
    }
    const operator = checkout.chain.operatorFor(sale.merchant.id, 'test');
    expect(drafted.map(({ wallet, operator: to, value }) => [wallet, to, value])).toEqual([
      [address, operator, 118_800_000n],
      [address, operator, 0n],
    ]);
  });

  it('refuses an invalid address, an invalid amount, and more than an allowance can be', async () => {
    const { address, path } = await session(await checkout.offer());
    for (const wrong of [
      {},
      { value: '-1' },
      { value: '1.5' },
      { value: '18446744073709551616' },
      { value: '1', address: 'x' },
    ]) {
      expect(await checkout.post(path, { address, ...wrong })).toMatchObject({ status: 400 });
    }
    expect(drafted).toEqual([]);
  });

  it('answers 409 with the reason if the chain would refuse the approval', async () => {
    const { address, path } = await session(await checkout.offer());
    const why = 'The wallet has too little SOL for the network fee';
    checkout.chain.approvals = { draft: async () => ({ kind: 'refused', why }) };
    expectError(await checkout.post(path, { address, value: '1' }), 409, why);
  });

  it('answers 409 if wallets make their own approvals, and 404 for an unknown key', async () => {
    const { address, path } = await session(await checkout.offer());
    checkout.chain.approvals = null;
    const body = { address, value: '1' };
    expect(await checkout.post(path, body)).toMatchObject({ status: 409 });
    expect(await checkout.post('/sessions/a-key-that-nobody-has-used/approvals', body)).toMatchObject({ status: 404 });
    expect(await checkout.post(`/authorizations/${'a'.repeat(43)}/approvals`, body)).toMatchObject({ status: 404 });
  });
});
