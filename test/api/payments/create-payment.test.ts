import { testOperator } from '../../../stage/scripted-chain.ts';
import { ALICE, BOB, paymentBody, SOL_ALICE } from '../../support/bodies.ts';
import { answerAtDeadline, expectError, idOf, type Reply, useHttp, useMerchant } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

const http = useHttp();
/** It has made no payment yet. */
const another = useMerchant(http);
const merchant = await MerchantOverHttp.open();

function create(body: unknown, key?: string): Promise<Reply> {
  return another.post('/payments', body, key);
}

function transfer(change: object = {}): object {
  return paymentBody({ paymentMethod: 'wallet_transfer', fromWallet: undefined, refundWallet: BOB, ...change });
}

describe('POST /payments 201', () => {
  it('shows what was sent, and what the chain made of it, without a deposit', async () => {
    const customerId = idOf(await merchant.post('/customers', {}));
    const asked = merchant.post(
      '/payments',
      paymentBody({
        toWallet: BOB.toLowerCase(),
        amount: '10.5',
        customerId,
        affiliatePartnerId: 'p',
        affiliateCommissionPct: '7.25',
        metadata: { order: '7' },
      }),
    );
    const { charges } = merchant.chain;
    await charges.settle((await charges.waiting()).paymentId, { pullTxHash: '0xabc', forwardTxHash: '0xdef' });
    const { status, body } = await asked;
    expect(status).toBe(201);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^pay_/),
      customerId,
      source: 'one_time',
      attempts: 1,
      idempotencyKey: 'order-1',
      paymentMethod: 'wallet_connect',
      fromWallet: ALICE,
      toWallet: BOB,
      amount: '10.50',
      platformAmount: '0.00',
      merchantAmount: '10.50',
      tokenKey: 'usdc-local-evm',
      chainId: 31337,
      pullTxHash: '0xabc',
      forwardTxHash: '0xdef',
      status: 'settled',
      isSandbox: true,
      affiliatePartnerId: 'p',
      affiliateCommissionPct: '7.25',
      metadata: { order: '7' },
      refundedAmount: '0.00',
      receiptUrl: expect.stringMatching(/\/receipts\/pay_\w+\/[\w-]{22}$/),
      createdAt: '2030-01-15T10:00:00.000Z',
      updatedAt: '2030-01-15T10:00:00.000Z',
    });
    expect(body).not.toHaveProperty('depositAddress');
  });

  it('divides the amount by the fee of the merchant', async () => {
    await merchant.http.store.records.change('merchants', merchant.id, {}, { set: { feeBps: 100 } });
    const { body } = await merchant.post('/payments', transfer({ idempotencyKey: 'with-fee' }));
    await merchant.http.store.records.change('merchants', merchant.id, {}, { set: { feeBps: 0 } });
    expect(body).toMatchObject({ amount: '10.00', platformAmount: '0.10', merchantAmount: '9.90' });
  });

  it('answers with a failed payment too', async () => {
    const asked = merchant.post('/payments', paymentBody({ idempotencyKey: 'fails' }));
    const { charges } = merchant.chain;
    await charges.refuse((await charges.waiting()).paymentId, 'insufficient_allowance');
    const { status, body } = await asked;
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: 'failed', failureReason: 'insufficient_allowance', pullTxHash: null });
  });

  it('shows the deposit address of a pending wallet_transfer', async () => {
    const { status, body } = await merchant.post('/payments', transfer({ idempotencyKey: 'transfer' }));
    expect(status).toBe(201);
    expect(body).toMatchObject({
      status: 'pending',
      paymentMethod: 'wallet_transfer',
      fromWallet: null,
      refundWallet: BOB,
      depositAddress: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      depositExpiresAt: new Date(merchant.http.now.getTime() + 3_600_000).toISOString(),
    });
  });
});

describe('POST /payments 200', () => {
  it('answers a replay, with the deposit while it is pending', async () => {
    const asked = transfer({ idempotencyKey: 'replayed' });
    const first = await merchant.post('/payments', asked);
    const early = await merchant.post('/payments', asked);
    const { depositAddress } = Object(first.body);
    expect(early).toMatchObject({ status: 200, body: { id: idOf(first), depositAddress } });
    expect(early.headers.get('idempotency-mismatch')).toBeNull();
    await merchant.post(`/payments/${idOf(first)}/cancel`);
    const late = await merchant.post('/payments', transfer({ idempotencyKey: 'replayed', amount: '11' }));
    expect(late).toMatchObject({ status: 200, body: { id: idOf(first), status: 'canceled' } });
    expect(late.body).not.toHaveProperty('depositAddress');
    expect(late.headers.get('idempotency-mismatch')).toBe('true');
  });
});

describe('POST /payments 400', () => {
  it.each([
    ['nothing', { amount: '0.00' }, 'amount must be more than zero'],
    ['less than a base unit', { amount: '0.0000001' }, 'amount must have at most 6 decimal places'],
    [
      'more than Solana can express',
      { amount: '18446744073710', tokenKey: 'usdc-solana', toWallet: SOL_ALICE },
      'amount is more than an amount on this chain can express',
    ],
    ['an unknown token', { tokenKey: 'usdc-moon' }, 'tokenKey is not a known token'],
    ['no payer', { fromWallet: undefined }, 'fromWallet is required'],
    ['a payer of another family', { fromWallet: SOL_ALICE }, 'fromWallet must be an EVM address'],
    ['a destination of another family', { toWallet: SOL_ALICE }, 'toWallet must be an EVM address'],
    ['the payer as destination', { toWallet: ALICE.toLowerCase() }, 'toWallet must not be the same as'],
    ['the zero address', { toWallet: `0x${'0'.repeat(40)}` }, 'toWallet must not be the zero address'],
    ['the token', { toWallet: `0x${'1'.padStart(40, '0')}` }, 'toWallet must not be the address of a token'],
    ['an unknown method', { paymentMethod: 'card' }, 'paymentMethod must be one of wallet_connect, wallet_'],
    ['a payer of a transfer', { paymentMethod: 'wallet_transfer' }, 'fromWallet must be absent for a'],
    ['a refund wallet that is none', { refundWallet: 'x' }, 'refundWallet must be an EVM address'],
    ['half an affiliate', { affiliateCommissionPct: '1' }, 'affiliatePartnerId is required together'],
  ])('refuses %s', async (_what, change, message) => {
    expectError(await create(paymentBody(change)), 400, expect.stringContaining(message));
    expect(await http.store.records.count('idempotencyKeys', { merchantId: another.id })).toBe(0);
  });

  it("refuses the merchant's own operator as destination", async () => {
    const reply = await create(paymentBody({ toWallet: testOperator(another.id, 'test') }));
    expectError(reply, 400, 'toWallet must not be the operator, which only passes money on');
  });

  it('refuses a testnet token with a live key', async () => {
    const reply = await create(paymentBody(), another.liveKey);
    expectError(reply, 400, 'tokenKey is a testnet token, which a live key cannot use: "usdc-local-evm"');
  });
});

describe('POST /payments 409', () => {
  it('refuses an idempotency key that another merchant has used', async () => {
    const asked = paymentBody({ idempotencyKey: 'of-another' });
    expect((await answerAtDeadline(merchant.http, merchant.post('/payments', asked))).status).toBe(201);
    const other = await merchant.http.merchant('Tea Club');
    const reply = await merchant.http.call('POST', '/payments', { key: other.testKey, body: asked });
    expectError(reply, 409, 'idempotencyKey already used');
  });
});
