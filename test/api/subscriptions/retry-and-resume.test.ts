import { cyclePaymentId } from '../../../src/model/payment.ts';
import { answerAtDeadline, expectError } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

describe.each(['retry', 'resume'])('POST /subscriptions/{subscriptionId}/%s', (verb) => {
  it('begins an attempt, and shows the subscription with its last invoice', async () => {
    const merchant = await MerchantOverHttp.open();
    const id = await merchant.subscribeAndPay();
    await merchant.failCharge(id, 'insufficient_balance');
    const { body: before } = await merchant.get(`/subscriptions/${id}`);
    const invoiceId = cyclePaymentId(id, 2).replace('pay_', 'inv_');
    const failed = { id: invoiceId, status: 'failed', failureReason: 'insufficient_balance' };
    expect(before).toMatchObject({ status: 'past_due', consecutiveFailures: 1, lastInvoice: failed });
    const { status, body } = await answerAtDeadline(merchant.http, merchant.post(`/subscriptions/${id}/${verb}`));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      status: 'past_due',
      cyclesCompleted: 1,
      consecutiveFailures: 1,
      lastInvoice: { id: invoiceId, status: 'pending', failureReason: null },
    });
  });
});

describe('409', () => {
  const RETRY = 'retry needs a failed or blocked charge, with no attempt in flight';
  const RESUME = 'resume needs pending, past_due, or active with a pause or a scheduled cancel';

  it.each([
    ['active', 'retry', RETRY],
    ['active', 'resume', RESUME],
    ['canceled', 'retry', RETRY],
    ['canceled', 'resume', RESUME],
  ])('answers, when its charge has settled and it is %s, %s', async (status, verb, needs) => {
    const merchant = await MerchantOverHttp.open();
    const id = await merchant.subscribeAndPay();
    if (status === 'canceled') await merchant.post(`/subscriptions/${id}/cancel`);
    const error = `Subscription is ${status}; ${needs}`;
    expectError(await merchant.post(`/subscriptions/${id}/${verb}`), 409, error);
  });

  it('answers retry of a subscription whose first attempt is still in flight', async () => {
    const merchant = await MerchantOverHttp.open();
    const id = await merchant.subscribe();
    await merchant.beginCharge(id);
    const error = `Subscription is pending; ${RETRY}`;
    expectError(await merchant.post(`/subscriptions/${id}/retry`), 409, error);
  });
});
