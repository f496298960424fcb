import { expectError } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

const merchant = await MerchantOverHttp.open();

describe('POST /sandbox/advance 200', () => {
  it.each([
    [{ to: '2030-03-01T01:00:00+01:00' }, '2030-03-01T00:00:00.000Z'],
    [{ days: 31 }, '2030-02-15T10:00:00.000Z'],
  ])('moves the clock by %j', async (how, now) => {
    const subscriptionId = await merchant.subscribe({}, { trialDays: 100 });
    const { status, body } = await merchant.post('/sandbox/advance', { subscriptionId, ...how });
    expect([status, body]).toEqual([
      200,
      {
        subscriptionId,
        now,
        complete: true,
        steps: [],
        status: 'pending',
        currentPeriodEnd: '2030-04-25T10:00:00.000Z',
      },
    ]);
  });

  it("shows the clock's time and the steps on the way", async () => {
    const subscriptionId = await merchant.subscribeAndPay();
    const { status, body } = await merchant.post('/sandbox/advance', { subscriptionId, status: 'past_due' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      subscriptionId,
      now: '2030-02-15T10:00:00.000Z',
      complete: true,
      steps: [
        { at: '2030-02-15T10:00:00.000Z', event: 'cycle.due', from: 'active', to: 'past_due', outcome: 'failed' },
      ],
      status: 'past_due',
    });
  });

  it('omits the outcome of a step without an attempt', async () => {
    const subscriptionId = await merchant.subscribeAndPay();
    await merchant.post(`/subscriptions/${subscriptionId}/cancel`, { atPeriodEnd: true });
    const at = '2030-02-15T10:00:00.000Z';
    const { body } = await merchant.post('/sandbox/advance', { subscriptionId });
    expect(body).toMatchObject({ status: 'canceled', currentPeriodEnd: at });
    expect(Reflect.get(Object(body), 'steps')).toEqual([{ at, event: 'cycle.due', from: 'active', to: 'canceled' }]);
  });
});

describe('POST /sandbox/advance 400', () => {
  it.each([
    [{ subscriptionId: 's', days: 0 }, 'days must be an integer between 1 and 800'],
    [{ subscriptionId: 's', days: 801 }, 'days must be an integer between 1 and 800'],
    [{ subscriptionId: 's', to: '2030-13-01' }, 'to must be an ISO 8601 timestamp'],
    [{ subscriptionId: 's', status: 'pending' }, 'status must be one of active, past_due, canceled'],
    [{ subscriptionId: 's', days: 1, status: 'active' }, 'body must have at most one of to, days and status'],
  ])('refuses %j', async (body, message) => {
    expectError(await merchant.post('/sandbox/advance', body), 400, expect.stringContaining(message));
  });
});
