import { Desk } from '../../staff/support/desk.ts';
import { type HttpHarness, type Reply, startHttp } from '../../support/http.ts';
import { paymentRecord, subscriptionRecord } from '../../support/services.ts';

let http: HttpHarness;
let testKey: string;
beforeAll(async () => {
  http = await startHttp();
});
beforeEach(async () => {
  ({ testKey } = await http.merchant());
  http.scripted.subscriptions.asked.length = 0;
  http.scripted.subscriptions.payment = null;
  http.scripted.subscriptions.records = [subscriptionRecord({ status: 'past_due', consecutiveFailures: 2 })];
});

const ID = subscriptionRecord().id;

function resume(body?: unknown, id = ID): Promise<Reply> {
  return http.call('POST', `/subscriptions/${id}/resume`, { key: testKey, ...(body === undefined ? {} : { body }) });
}

describe('POST /subscriptions/{subscriptionId}/resume 200', () => {
  it('shows the subscription with its last invoice', async () => {
    const { id } = paymentRecord();
    http.scripted.subscriptions.payment = paymentRecord({ status: 'failed', failureReason: 'insufficient_balance' });
    const reply = await resume();
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
        id: id.replace('pay_', 'inv_'),
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

  it('accepts an empty body, and names unknown fields', async () => {
    expect((await resume({})).status).toBe(200);
    expect((await resume({ force: true })).headers.get('x-ignored-fields')).toBe('force');
  });
});

describe('POST /subscriptions/{subscriptionId}/resume 400', () => {
  it('refuses a body that is not an object', async () => {
    const { status, body } = await resume('[]');
    expect([status, body]).toEqual([400, { error: 'body must be a JSON object' }]);
  });
});

describe('POST /subscriptions/{subscriptionId}/resume 404', () => {
  it('finds no subscription with an unknown id', async () => {
    const { status, body } = await resume({}, 'sub_x');
    expect([status, body]).toEqual([404, { error: 'Not found' }]);
  });
});

describe('POST /subscriptions/{subscriptionId}/resume 409', () => {
  it('refuses to resume a subscription that is paid and has no scheduled cancel', async () => {
    const desk = await Desk.open();
    const id = await desk.subscribe();
    await desk.settles(id);
    const { status, body } = await desk.post(`/subscriptions/${id}/resume`);
    expect([status, body]).toEqual([
      409,
      { error: 'Subscription is active; resume needs pending, past_due, or active with a scheduled cancel' },
    ]);
  });
});
