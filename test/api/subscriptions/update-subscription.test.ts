import { type HttpHarness, type Reply, startHttp } from '../../support/http.ts';
import { subscriptionRecord } from '../../support/services.ts';

let http: HttpHarness;
let testKey: string;
beforeAll(async () => {
  http = await startHttp();
});
beforeEach(async () => {
  ({ testKey } = await http.merchant());
  http.scripted.subscriptions.asked.length = 0;
  http.scripted.subscriptions.records = [subscriptionRecord({ status: 'active', customVariables: { seats: 3 } })];
});

const ID = subscriptionRecord().id;

function patch(body: unknown): Promise<Reply> {
  return http.call('PATCH', `/subscriptions/${ID}`, { key: testKey, body });
}

describe('PATCH /subscriptions/{subscriptionId} 200', () => {
  it('replaces the variables, and shows the subscription', async () => {
    const reply = await patch({ customVariables: { team: 'a', beta: true, seats: 2.5 } });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      id: ID,
      status: 'active',
      customVariables: { team: 'a', beta: true, seats: 2.5 },
      authorizationUrl: null,
    });
    expect(http.scripted.subscriptions.asked).toMatchObject([
      { input: { id: ID, customVariables: { team: 'a', beta: true, seats: 2.5 }, by: 'api' } },
    ]);
  });

  it.each([
    ['nothing', {}],
    ['null', null],
  ])('clears them with %s', async (_what, customVariables) => {
    expect((await patch({ customVariables })).body).toMatchObject({ customVariables: {} });
  });
});

describe('PATCH /subscriptions/{subscriptionId} 400', () => {
  it.each([
    ['nothing', {}, 'body must have at least one field that can be updated: customVariables'],
    ['nothing that is known', { note: 'x' }, 'body must have at least one field that can be updated: customVariables'],
    ['a value that is null', { customVariables: { a: null } }, 'customVariables.a must be a string, a number, true'],
    ['a value that is an object', { customVariables: { a: { $ne: 1 } } }, 'customVariables.a must be a string'],
    ['what is too big', { customVariables: { a: 'x'.repeat(8_200) } }, 'customVariables must be at most 8192 bytes'],
    [
      'too many',
      { customVariables: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, index])) },
      'customVariables must have at most 50 keys',
    ],
  ])('refuses %s', async (_what, body, message) => {
    const reply = await patch(body);
    expect([reply.status, reply.body]).toEqual([400, { error: expect.stringContaining(message) }]);
    expect(http.scripted.subscriptions.asked).toEqual([]);
  });
});
