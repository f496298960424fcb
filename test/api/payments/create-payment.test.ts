import { Desk } from '../../staff/support/desk.ts';
import { ALICE, BOB, CAROL, paymentBody, SOL_ALICE } from '../../support/bodies.ts';
import { type HttpHarness, type Reply, startHttp, testOperator } from '../../support/http.ts';
import { answerAtDeadline } from '../../support/in-process.ts';
import { paymentRecord } from '../../support/services.ts';

let http: HttpHarness;
let merchantId: string;
let testKey: string;
let liveKey: string;
beforeAll(async () => {
  http = await startHttp();
});
beforeEach(async () => {
  const made = await http.merchant();
  merchantId = made.merchant._id;
  ({ testKey, liveKey } = made);
  http.scripted.payments.asked.length = 0;
  http.scripted.payments.answer = { resource: paymentRecord(), replayed: false, mismatch: false };
});

function create(body: unknown, key = testKey): Promise<Reply> {
  return http.call('POST', '/payments', { key, body });
}

describe('POST /payments 201', () => {
  it('passes the request on, in base units and with checked addresses', async () => {
    const { status } = await create(paymentBody({ toWallet: BOB.toLowerCase(), amount: '10.5' }));
    expect(status).toBe(201);
    expect(http.scripted.payments.asked).toEqual([
      {
        tenant: { merchantId, mode: 'test' },
        input: {
          tokenKey: 'usdc-local-evm',
          chainId: 31337,
          family: 'evm',
          amount: 10_500_000n,
          toWallet: BOB,
          fromWallet: ALICE,
          paymentMethod: 'wallet_connect',
          idempotencyKey: 'order-1',
          customerId: null,
          affiliate: null,
          metadata: {},
          refundWallet: null,
          requestHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      },
    ]);
  });

  it('shows every listed field of a settled payment, and no deposit', async () => {
    const { body } = await create(paymentBody());
    const record = paymentRecord();
    expect(body).toEqual({
      id: record.id,
      merchantId: record.merchantId,
      customerId: null,
      source: 'one_time',
      subscriptionId: null,
      offerId: null,
      priceId: null,
      periodStart: null,
      periodEnd: null,
      attempts: 1,
      nextAttemptAt: null,
      idempotencyKey: 'order-1',
      paymentMethod: 'wallet_connect',
      fromWallet: ALICE,
      toWallet: BOB,
      amount: '10.00',
      platformAmount: '0.10',
      merchantAmount: '9.90',
      tokenKey: 'usdc-local-evm',
      chainId: 31337,
      pullTxHash: '0xabc',
      forwardTxHash: '0xabc',
      platformTransferTxHash: '0xabc',
      distributeTxHash: null,
      status: 'settled',
      failureReason: null,
      blockedReason: null,
      isSandbox: true,
      affiliatePartnerId: null,
      affiliateCommissionPct: null,
      metadata: {},
      refundWallet: null,
      createdAt: '2030-01-15T10:00:00.000Z',
      updatedAt: '2030-01-15T10:00:00.000Z',
    });
  });

  it('answers with a failed payment too', async () => {
    const resource = paymentRecord({ status: 'failed', failureReason: 'insufficient_allowance', pullTxHash: null });
    http.scripted.payments.answer = { resource, replayed: false, mismatch: false };
    const { status, body } = await create(paymentBody());
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: 'failed', failureReason: 'insufficient_allowance', pullTxHash: null });
  });

  it('shows the deposit address of a pending wallet_transfer', async () => {
    const deposit = { address: CAROL, expiresAt: new Date('2030-01-15T11:00:00Z') };
    const resource = paymentRecord({ status: 'pending', paymentMethod: 'wallet_transfer', fromWallet: null, deposit });
    http.scripted.payments.answer = { resource, replayed: false, mismatch: false };
    const { body } = await create(
      paymentBody({ paymentMethod: 'wallet_transfer', fromWallet: null, refundWallet: BOB }),
    );
    expect(body).toMatchObject({ depositAddress: CAROL, depositExpiresAt: '2030-01-15T11:00:00.000Z' });
    expect(http.scripted.payments.asked).toMatchObject([{ input: { fromWallet: null, refundWallet: BOB } }]);
  });

  it('passes affiliate, customer and metadata on', async () => {
    await create(
      paymentBody({
        affiliatePartnerId: 'p',
        affiliateCommissionPct: '7.25',
        customerId: 'cust_1',
        metadata: { order: '7' },
      }),
    );
    expect(http.scripted.payments.asked).toMatchObject([
      {
        input: { affiliate: { partnerId: 'p', commissionPct: '7.25' }, customerId: 'cust_1', metadata: { order: '7' } },
      },
    ]);
  });
});

describe('POST /payments 200', () => {
  it('answers a replay, with the deposit while it is pending', async () => {
    const deposit = { address: CAROL, expiresAt: new Date('2030-01-15T11:00:00Z') };
    const pending = paymentRecord({ status: 'pending', paymentMethod: 'wallet_transfer', deposit });
    http.scripted.payments.answer = { resource: pending, replayed: true, mismatch: false };
    const early = await create(paymentBody());
    http.scripted.payments.answer = {
      resource: { ...pending, status: 'settled' },
      replayed: true,
      mismatch: true,
    };
    const late = await create(paymentBody());
    expect([early.status, late.status]).toEqual([200, 200]);
    expect(early.body).toMatchObject({ depositAddress: CAROL });
    expect(late.body).not.toHaveProperty('depositAddress');
    expect(late.headers.get('idempotency-mismatch')).toBe('true');
  });
});

describe('POST /payments 400', () => {
  it.each([
    ['nothing', paymentBody({ amount: '0.00' }), 'amount must be more than zero'],
    ['less than a base unit', paymentBody({ amount: '0.0000001' }), 'amount must have at most 6 decimal places'],
    [
      'more than Solana can express',
      paymentBody({ amount: '18446744073710', tokenKey: 'usdc-solana', toWallet: SOL_ALICE }),
      'amount is more than an amount on this chain can express',
    ],
    ['an unknown token', paymentBody({ tokenKey: 'usdc-moon' }), 'tokenKey is not a known token'],
    ['no payer', paymentBody({ fromWallet: undefined }), 'fromWallet is required'],
    ['a payer of another family', paymentBody({ fromWallet: SOL_ALICE }), 'fromWallet must be an EVM address'],
    ['a destination of another family', paymentBody({ toWallet: SOL_ALICE }), 'toWallet must be an EVM address'],
    ['the payer as destination', paymentBody({ toWallet: ALICE.toLowerCase() }), 'toWallet must not be the same as'],
    ['the zero address', paymentBody({ toWallet: `0x${'0'.repeat(40)}` }), 'toWallet must not be the zero address'],
    [
      'the token',
      paymentBody({ toWallet: `0x${'1'.padStart(40, '0')}` }),
      'toWallet must not be the address of a token',
    ],
    [
      'an unknown method',
      paymentBody({ paymentMethod: 'card' }),
      'paymentMethod must be one of wallet_connect, wallet_',
    ],
    ['a payer of a transfer', paymentBody({ paymentMethod: 'wallet_transfer' }), 'fromWallet must be absent for a'],
    ['a refund wallet that is none', paymentBody({ refundWallet: 'x' }), 'refundWallet must be an EVM address'],
    ['half an affiliate', paymentBody({ affiliateCommissionPct: '1' }), 'affiliatePartnerId is required together'],
  ])('refuses %s', async (_what, body, message) => {
    const reply = await create(body);
    expect([reply.status, reply.body]).toEqual([400, { error: expect.stringContaining(message) }]);
    expect(http.scripted.payments.asked).toEqual([]);
  });

  it("refuses the merchant's own operator as destination", async () => {
    const { status, body } = await create(paymentBody({ toWallet: testOperator(merchantId, 'test') }));
    expect([status, body]).toEqual([400, { error: 'toWallet must not be the operator, which only passes money on' }]);
  });

  it('refuses a testnet token with a live key', async () => {
    const { status, body } = await create(paymentBody(), liveKey);
    expect(status).toBe(400);
    expect(body).toEqual({ error: 'tokenKey is a testnet token, which a live key cannot use: "usdc-local-evm"' });
  });
});

describe('POST /payments 409', () => {
  it('refuses an idempotency key that another merchant has used', async () => {
    const desk = await Desk.open();
    expect((await answerAtDeadline(desk.http, desk.post('/payments', paymentBody()))).status).toBe(201);
    const other = await desk.http.merchant('Tea Club');
    const { status, body } = await desk.http.call('POST', '/payments', { key: other.testKey, body: paymentBody() });
    expect([status, body]).toEqual([409, { error: 'idempotencyKey already used' }]);
  });
});
