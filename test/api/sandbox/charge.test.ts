import { Desk } from '../../staff/support/desk.ts';
import { type HttpHarness, type Reply, startHttp } from '../../support/http.ts';

let http: HttpHarness;
let testKey: string;
beforeAll(async () => {
  http = await startHttp();
});
beforeEach(async () => {
  ({ testKey } = await http.merchant());
});

function charge(body: unknown): Promise<Reply> {
  return http.call('POST', '/sandbox/charge', { key: testKey, body });
}

describe('POST /sandbox/charge 200', () => {
  it.each([
    [
      { outcome: 'settled', paymentId: 'pay_1', reason: null },
      { outcome: 'settled', paymentId: 'pay_1' },
    ],
    [
      { outcome: 'skipped', paymentId: null, reason: 'not_authorized' },
      { outcome: 'skipped', reason: 'not_authorized' },
    ],
  ] as const)('omits missing parts of %j', async (outcome, shown) => {
    http.scripted.sandbox.outcome = outcome;
    const { status, body } = await charge({ subscriptionId: 'sub_1' });
    expect([status, body]).toEqual([200, shown]);
  });
});

describe('POST /sandbox/charge 409', () => {
  it('refuses to charge a canceled subscription', async () => {
    const desk = await Desk.open();
    const subscriptionId = await desk.subscribe();
    expect((await desk.post(`/subscriptions/${subscriptionId}/cancel`)).status).toBe(200);
    const { status, body } = await desk.post('/sandbox/charge', { subscriptionId });
    expect([status, body]).toEqual([
      409,
      { error: 'Subscription is canceled; charge needs pending, active or past_due' },
    ]);
  });
});
