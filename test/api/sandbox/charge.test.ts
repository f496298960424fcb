import { conflict, notFound } from '../../../src/errors/fault.ts';
import { type HttpHarness, type Reply, startHttp } from '../../support/http.ts';

let http: HttpHarness;
let testKey: string;
let liveKey: string;
beforeAll(async () => {
  http = await startHttp();
});
beforeEach(async () => {
  ({ testKey, liveKey } = await http.merchant());
  http.scripted.sandbox.failure = null;
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
  ] as const)('leaves out of %j what there is not', async (outcome, shown) => {
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
  it('refuses a live key before any limit is consulted', async () => {
    const before = http.store.roundTrips();
    const { status, body } = await charge({ subscriptionId: 'sub_1' }, liveKey);
    expect([status, body]).toEqual([403, { error: 'This endpoint takes test keys only' }]);
    // Key and merchant were read; no window was raised.
    expect(http.store.roundTrips() - before).toBe(1);
  });
});

describe('POST /sandbox/charge 404 and 409', () => {
  it('passes on that there is no such subscription, or that it is canceled', async () => {
    http.scripted.sandbox.failure = notFound();
    expect((await charge({ subscriptionId: 'sub_1' })).status).toBe(404);
    http.scripted.sandbox.failure = conflict('Subscription is canceled; charge needs pending, active or past_due');
    expect((await charge({ subscriptionId: 'sub_1' })).status).toBe(409);
  });
});
