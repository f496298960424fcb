import type { CheckedPermit, Permits } from '../../src/chains/port.ts';
import { NOTHING, PLENTY } from '../../stage/scripted-chain.ts';
import { permit } from '../store/support/documents.ts';
import { expectError } from '../support/http.ts';
import { CheckoutOverHttp, type OnSale, type Payer } from './support/checkout.ts';

/** The permits of the API; the tests of the chains cover their behaviour on chains. */
let checked: CheckedPermit;
let submitted: number;

const checkout = await CheckoutOverHttp.start();

beforeEach(() => {
  checked = { kind: 'good', nonce: 7n, block: 1 };
  submitted = 0;
  checkout.chain.state = { allowance: 0n, balance: 10n ** 12n };
  checkout.chain.permits = permits;
  checkout.later(60_000);
});

const domain = { name: 'USD Coin', version: '2', chainId: 31_337 };

const permits: Permits = {
  terms: async () => ({ domain, nonce: 7n, now: 1_900_000_000 }),
  check: async () => checked,
  idOf: ({ wallet, value, signature }) => `prm_${wallet}/${value}/${signature}`,
  submit: async (signed) => {
    submitted += 1;
    const id = permits.idOf(signed);
    await checkout.http.store.records.insert('permits', [
      permit({ _id: id, createdAt: checkout.http.now, updatedAt: checkout.http.now }),
    ]);
    return id;
  },
};

const PERMIT = { value: '118800000', deadline: '1900003600', signature: `0x${'11'.repeat(65)}` };

async function opened(sale: OnSale, payer: Payer, change: object = {}) {
  const body = await checkout.signed(sale, payer, { permit: PERMIT, ...change });
  return { body, reply: await checkout.post(`/offers/${sale.offerId}/subscriptions`, body) };
}

describe('the typed data of a permit', () => {
  const typedData = (owner: string, spender: string) => ({
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
      ],
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    domain,
    message: { owner, spender, value: '118800000', nonce: '7', deadline: '1900003600' },
  });

  it('is in the session, in the form of eth_signTypedData_v4; the challenge only says that there will be one', async () => {
    const sale = await checkout.offer();
    const payer = checkout.newPayer();
    const spender = checkout.chain.operatorFor(sale.merchant.id, 'test');
    const expected = typedData(payer.address, spender);
    expect(await checkout.challenge(sale, payer.address)).toMatchObject({ takesPermit: true });
    const { reply, body } = await opened(sale, payer, { permit: null });
    expect(reply).toMatchObject({ status: 201, body: { permitToSign: expected, outcome: { permit: null } } });
    expect(await checkout.get(`/sessions/${body.sessionKey}`)).toMatchObject({ body: { permitToSign: expected } });
  });

  it('is missing if the token takes no permits of the wallet, or the chain does not answer', async () => {
    const sale = await checkout.offer();
    const payer = checkout.newPayer();
    checkout.chain.permits = { ...permits, terms: async () => null };
    expect(await checkout.challenge(sale, payer.address)).toMatchObject({ takesPermit: false });
    checkout.chain.permits = { ...permits, terms: () => Promise.reject(new Error('silence')) };
    expect(await checkout.challenge(sale, payer.address)).toMatchObject({ takesPermit: false });
  });
});

describe('a permit', () => {
  it('is submitted once, however often the request is repeated', async () => {
    const sale = await checkout.offer();
    const { body, reply } = await opened(sale, checkout.newPayer());
    const outcome = { permit: { status: 'waiting', failureReason: null, valueBaseUnits: '118800000' } };
    expect(reply).toMatchObject({ status: 201, body: { outcome } });
    checked = { kind: 'refused', why: 'not_signed' };
    const path = `/offers/${sale.offerId}/subscriptions`;
    expect(await checkout.post(path, body)).toMatchObject({ status: 200, body: { outcome } });
    expect(submitted).toBe(1);
  });

  it('is shown as failed after a failure, and another one replaces it', async () => {
    const sale = await checkout.offer();
    const { body } = await opened(sale, checkout.newPayer());
    const id = `prm_${body.address}/${PERMIT.value}/${PERMIT.signature}`;
    const failed = { set: { state: 'failed', reason: 'nonce_used' } };
    await checkout.http.store.records.change('permits', id, {}, failed);
    expect(await checkout.get(`/sessions/${body.sessionKey}`)).toMatchObject({
      body: {
        outcome: {
          progress: 'waiting',
          waitsFor: 'allowance',
          permit: { status: 'failed', failureReason: 'nonce_used' },
        },
      },
    });
    const another = { ...body, permit: { ...PERMIT, signature: `0x${'22'.repeat(65)}` } };
    expect(await checkout.post(`/offers/${sale.offerId}/subscriptions`, another)).toMatchObject({
      status: 200,
      body: { outcome: { permit: { status: 'waiting', failureReason: null } } },
    });
    expect(submitted).toBe(2);
  });

  it.each([
    ['no_permits', 'permit is not possible: USDC on Local EVM takes none; approve the operator with a transaction'],
    ['contract_wallet', 'permit needs a wallet with its own key'],
    ['too_late', 'permit.deadline must be at least two minutes ahead'],
    ['not_signed', 'permit.signature must be by the wallet in address'],
    ['not_taken', 'permit is refused by the contract of USDC'],
  ] as const)('costs only another try if it is refused as %s', async (why, message) => {
    checked = { kind: 'refused', why };
    const sale = await checkout.offer();
    const { body, reply } = await opened(sale, checkout.newPayer());
    expectError(reply, 400, expect.stringContaining(message));
    expect([submitted, await checkout.customers(sale)]).toEqual([0, []]);
    checked = { kind: 'good', nonce: 7n, block: 1 };
    expect((await checkout.post(`/offers/${sale.offerId}/subscriptions`, body)).status).toBe(201);
  });

  it.each([
    ['of less than a charge', { value: '9899999' }, 'permit.value must be at least 9900000 base units (9.90 USDC)'],
    ['of more than a token can count', { value: '9'.repeat(78) }, 'permit.value must be less than 2^256'],
    ['for ever and longer', { deadline: '9'.repeat(78) }, 'permit.deadline must be less than 2^256'],
    ['without a signature', { signature: '0x12' }, 'permit.signature must be a signature in hex'],
  ])('is refused: %s', async (_what, change, message) => {
    const { reply } = await opened(await checkout.offer(), checkout.newPayer(), { permit: { ...PERMIT, ...change } });
    expectError(reply, 400, expect.stringContaining(message));
    expect(submitted).toBe(0);
  });

  it("is refused without a word about the wallet's other subscriptions to somebody who cannot sign for it", async () => {
    const payer = checkout.newPayer();
    const first = await checkout.offer();
    checkout.chain.state = PLENTY;
    await checkout.subscribe(first, payer);
    const sale = await checkout.offer({}, first.merchant);
    const little = { permit: { ...PERMIT, value: '9900000' } };
    const signature = `0x${'33'.repeat(65)}`;
    const strangers = await opened(sale, payer, { ...little, signature });
    const error = "signature must be by the wallet in address, for the challenge's typedData";
    expectError(strangers.reply, 400, error);
    const { reply } = await opened(sale, payer, little);
    expect(reply.body).toEqual({ error: expect.stringContaining('at least 19800000 base units') });
  });

  it('is refused if the wallet could not pay the charge, because its gas would be wasted', async () => {
    checkout.chain.state = NOTHING;
    const { reply } = await opened(await checkout.offer(), checkout.newPayer());
    const error = 'permit needs a wallet that can pay the charge: it has 0.00 USDC of 9.90 USDC';
    expect([reply.status, reply.body, submitted]).toEqual([400, { error }, 0]);
  });
});
