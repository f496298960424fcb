import { Desk } from '../../staff/support/desk.ts';
import { type HttpHarness, type Reply, startHttp } from '../../support/http.ts';

let http: HttpHarness;
let testKey: string;
let liveKey: string;
beforeAll(async () => {
  http = await startHttp();
});
beforeEach(async () => {
  ({ testKey, liveKey } = await http.merchant());
});

function charge(body: unknown, key = testKey): Promise<Reply> {
  return http.call('POST', '/sandbox/charge', { key, body });
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

describe('POST /sandbox/charge 400', () => {
  it('names the missing field', async () => {
    const { status, body } = await charge({});
    expect([status, body]).toEqual([400, { error: 'subscriptionId is required' }]);
  });
});

describe('POST /sandbox/charge 403', () => {
  it('refuses a live key before it counts any limit', async () => {
    const before = http.store.roundTrips();
    const { status, body } = await charge({ subscriptionId: 'sub_1' }, liveKey);
    expect([status, body]).toEqual([403, { error: 'This endpoint takes test keys only' }]);
    // Key and merchant were read, and no window was raised.
    expect(http.store.roundTrips() - before).toBe(1);
  });
});

describe('POST /sandbox/charge 404', () => {
  it('finds no subscription with an unknown id', async () => {
    const desk = await Desk.open();
    const { status, body } = await desk.post('/sandbox/charge', { subscriptionId: 'sub_1' });
    expect([status, body]).toEqual([404, { error: 'Not found' }]);
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
