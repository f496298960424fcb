import { Desk } from '../../staff/support/desk.ts';
import { startHttp } from '../../support/http.ts';
import { paymentRecord, subscriptionRecord } from '../../support/services.ts';

const ID = subscriptionRecord().id;

describe.each(['retry', 'resume'])('POST /subscriptions/{subscriptionId}/%s', (verb) => {
  it('shows the subscription with its last invoice', async () => {
    const http = await startHttp();
    const { testKey: key } = await http.merchant();
    const payment = paymentRecord({ status: 'failed', failureReason: 'insufficient_balance' });
    http.scripted.subscriptions.payment = payment;
    http.scripted.subscriptions.records = [subscriptionRecord({ status: 'past_due', consecutiveFailures: 2 })];
    const reply = await http.call('POST', `/subscriptions/${ID}/${verb}`, { key });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      id: ID,
      status: 'past_due',
      currentPeriodEnd: null,
      allowanceConfirmed: false,
      customerId: subscriptionRecord().customerId,
      cyclesCompleted: 0,
      consecutiveFailures: 2,
      customVariables: {},
      lastInvoice: expect.objectContaining({
        id: payment.id.replace('pay_', 'inv_'),
        status: 'failed',
        failureReason: 'insufficient_balance',
      }),
      cancelAt: null,
      trialEnd: null,
      payerWallet: null,
      tokenKey: 'usdc-local-evm',
      pendingOfferPriceId: null,
      blockedReason: null,
    });
    expect(http.scripted.subscriptions.asked).toMatchObject([{ input: { id: ID, by: 'api' } }]);
  });
});

describe('409', () => {
  const RETRY = 'retry needs a failed or blocked charge, with no attempt in flight';

  it.each([
    ['retry', `Subscription is active; ${RETRY}`],
    ['resume', 'Subscription is active; resume needs pending, past_due, or active with a scheduled cancel'],
  ])('answers %s of a subscription whose charge has settled', async (verb, error) => {
    const desk = await Desk.open();
    const id = await desk.subscribe();
    await desk.settles(id);
    expect(await desk.post(`/subscriptions/${id}/${verb}`)).toMatchObject({ status: 409, body: { error } });
  });

  it('answers retry of a subscription whose first attempt is still in flight', async () => {
    const desk = await Desk.open();
    const id = await desk.subscribe();
    await desk.falls(id);
    const error = `Subscription is pending; ${RETRY}`;
    expect(await desk.post(`/subscriptions/${id}/retry`)).toMatchObject({ status: 409, body: { error } });
  });
});
