import { type HttpHarness, startHttp } from '../../support/http.ts';
import { paymentRecord, subscriptionRecord } from '../../support/services.ts';

let http: HttpHarness;
let testKey: string;
beforeAll(async () => {
  http = await startHttp();
});
beforeEach(async () => {
  ({ testKey } = await http.merchant());
});

const record = subscriptionRecord({
  status: 'active',
  currentPeriodEnd: new Date('2030-02-15T10:00:00Z'),
  allowanceConfirmed: true,
  cyclesCompleted: 1,
});

describe('GET /subscriptions/{subscriptionId} 200', () => {
  it('shows the status view, without an invoice before the first attempt', async () => {
    http.scripted.subscriptions.records = [record];
    http.scripted.subscriptions.payment = null;
    const { status, body } = await http.call('GET', `/subscriptions/${record.id}`, { key: testKey });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: record.id,
      status: 'active',
      currentPeriodEnd: '2030-02-15T10:00:00.000Z',
      allowanceConfirmed: true,
      customerId: record.customerId,
      cyclesCompleted: 1,
      consecutiveFailures: 0,
      customVariables: {},
      lastInvoice: null,
      cancelAt: null,
      trialEnd: null,
      payerWallet: null,
      tokenKey: 'usdc-local-evm',
      pendingOfferPriceId: null,
      blockedReason: null,
    });
  });

  it("shows the last cycle's payment as an invoice with the same suffix", async () => {
    http.scripted.subscriptions.records = [record];
    http.scripted.subscriptions.payment = paymentRecord({
      source: 'subscription',
      subscriptionId: record.id,
      idempotencyKey: `cycle:${record.id}:1`,
      forwardTxHash: '0xdef',
    });
    const { body } = await http.call('GET', `/subscriptions/${record.id}`, { key: testKey });
    expect(body).toMatchObject({
      lastInvoice: {
        id: 'inv_01hm0000000000000000000001',
        subscriptionId: record.id,
        merchantId: record.merchantId,
        idempotencyKey: `cycle:${record.id}:1`,
        grossAmount: '10.00',
        platformAmount: '0.10',
        merchantAmount: '9.90',
        tokenKey: 'usdc-local-evm',
        chainId: 31337,
        pullTxHash: '0xabc',
        merchantTransferTxHash: '0xdef',
        platformTransferTxHash: '0xabc',
        distributeTxHash: null,
        status: 'settled',
        failureReason: null,
        isSandbox: true,
      },
    });
  });
});
