import { cyclePaymentId } from '../../../src/model/payment.ts';
import { NOTHING, PLENTY } from '../../../stage/scripted-chain.ts';
import { ALICE } from '../../support/bodies.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

const merchant = await MerchantOverHttp.open();

describe('GET /subscriptions/{subscriptionId} 200', () => {
  it('shows the status view, without an invoice before the first attempt', async () => {
    const id = await merchant.subscribe({}, { trialDays: 7 }, ALICE);
    const { status, body } = await merchant.get(`/subscriptions/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      status: 'pending',
      currentPeriodEnd: '2030-01-22T10:00:00.000Z',
      allowanceConfirmed: true,
      customerId: expect.stringMatching(/^cust_/),
      cyclesCompleted: 0,
      lastInvoice: null,
      trialEnd: '2030-01-22T10:00:00.000Z',
      trialStartedAt: '2030-01-15T10:00:00.000Z',
      isTrialing: true,
      payerWallet: ALICE,
      tokenKey: 'usdc-local-evm',
    });
  });

  it("shows the last cycle's payment as an invoice with the same suffix", async () => {
    const id = await merchant.subscribe();
    const txHash = await merchant.settleCharge(id);
    const { body } = await merchant.get(`/subscriptions/${id}`);
    expect(body).toMatchObject({
      status: 'active',
      cyclesCompleted: 1,
      currentPeriodEnd: '2030-02-15T10:00:00.000Z',
      lastInvoice: {
        id: cyclePaymentId(id, 1).replace('pay_', 'inv_'),
        subscriptionId: id,
        merchantId: merchant.id,
        grossAmount: '9.90',
        platformAmount: '0.00',
        merchantAmount: '9.90',
        tokenKey: 'usdc-local-evm',
        chainId: 31337,
        pullTxHash: txHash,
        merchantTransferTxHash: txHash,
        platformTransferTxHash: null,
        distributeTxHash: null,
        status: 'settled',
        failureReason: null,
        isSandbox: true,
      },
    });
  });

  it('shows a trial from the agreement until its end, or until the subscription is canceled', async () => {
    const trial = async (id: string) => (await merchant.get(`/subscriptions/${id}`)).body;
    merchant.chain.state = NOTHING;
    const unsigned = await merchant.subscribe({}, { trialDays: 7 });
    merchant.chain.state = PLENTY;
    const signed = await merchant.subscribe({}, { trialDays: 7 });
    const canceled = await merchant.subscribe({}, { trialDays: 7 });
    expect((await merchant.post(`/subscriptions/${canceled}/cancel`)).body).toMatchObject({ isTrialing: false });
    const trialStartedAt = merchant.http.now.toISOString();
    expect(await trial(unsigned)).toMatchObject({ status: 'pending', trialStartedAt: null, isTrialing: false });
    expect(await trial(signed)).toMatchObject({ status: 'pending', trialStartedAt, isTrialing: true });
    expect(await trial(canceled)).toMatchObject({ status: 'canceled', trialStartedAt, isTrialing: false });
    merchant.later(7 * 86_400_000);
    expect(await trial(signed)).toMatchObject({ trialStartedAt, isTrialing: false });
  });
});
