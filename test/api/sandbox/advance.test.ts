import { type HttpHarness, type Reply, startHttp } from '../../support/http.ts';

let http: HttpHarness;
let testKey: string;
beforeAll(async () => {
  http = await startHttp();
});
beforeEach(async () => {
  ({ testKey } = await http.merchant());
  http.scripted.sandbox.asked.length = 0;
});

function advance(body: unknown): Promise<Reply> {
  return http.call('POST', '/sandbox/advance', { key: testKey, body });
}

describe('POST /sandbox/advance 200', () => {
  it.each([
    [{}, { to: null, days: null, status: null }],
    [{ days: 31 }, { to: null, days: 31, status: null }],
    [{ status: 'past_due' }, { to: null, days: null, status: 'past_due' }],
    [{ to: '2030-03-01T01:00:00+01:00' }, { to: new Date('2030-03-01T00:00:00Z'), days: null, status: null }],
  ])('passes %j on', async (how, input) => {
    expect((await advance({ subscriptionId: 'sub_1', ...how })).status).toBe(200);
    expect(http.scripted.sandbox.asked).toEqual([{ subscriptionId: 'sub_1', ...input }]);
  });

  it("shows the clock's time and the steps on the way", async () => {
    const at = new Date('2030-02-15T10:00:00Z');
    http.scripted.sandbox.result = {
      subscriptionId: 'sub_1',
      now: at,
      complete: false,
      steps: [
        { at, event: 'cycle.due', from: 'active', to: 'active', outcome: 'settled' },
        { at, event: 'cycle.due', from: 'active', to: 'canceled', outcome: null },
      ],
      status: 'canceled',
      currentPeriodEnd: at,
    };
    const { body } = await advance({ subscriptionId: 'sub_1' });
    expect(body).toEqual({
      subscriptionId: 'sub_1',
      now: at.toISOString(),
      complete: false,
      steps: [
        { at: at.toISOString(), event: 'cycle.due', from: 'active', to: 'active', outcome: 'settled' },
        { at: at.toISOString(), event: 'cycle.due', from: 'active', to: 'canceled' },
      ],
      status: 'canceled',
      currentPeriodEnd: at.toISOString(),
    });
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
    const reply = await advance(body);
    expect([reply.status, reply.body]).toEqual([400, { error: expect.stringContaining(message) }]);
  });
});
