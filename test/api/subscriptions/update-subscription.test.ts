import { Desk } from '../../staff/support/desk.ts';
import type { Reply } from '../../support/http.ts';

let desk: Desk;
let id: string;
beforeAll(async () => {
  desk = await Desk.open();
  await desk.http.store.records.change('merchants', desk.merchantId, {}, { set: { limitFactor: 100 } });
  id = await desk.subscribe();
});

function patch(body: unknown, of: string): Promise<Reply> {
  return desk.http.call('PATCH', `/subscriptions/${of}`, { key: desk.key, body });
}

describe('PATCH /subscriptions/{subscriptionId} 200', () => {
  const customVariables = { team: 'a', beta: true, seats: 2.5 };

  it('replaces the variables, and shows the subscription', async () => {
    const reply = await patch({ customVariables }, id);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ id, status: 'pending', customVariables, authorizationUrl: null });
  });

  it('replaces them in every status', async () => {
    const steps: readonly [status: string, (of: string) => Promise<unknown>][] = [
      ['active', (of) => desk.settles(of)],
      ['past_due', (of) => desk.fails(of, 'insufficient_balance')],
      ['canceled', (of) => desk.post(`/subscriptions/${of}/cancel`)],
    ];
    const own = await desk.subscribe();
    for (const [status, step] of steps) {
      await step(own);
      const variables = { customVariables: { step: status } };
      expect(await patch(variables, own)).toMatchObject({ status: 200, body: { status, ...variables } });
    }
  });

  it.each([
    ['nothing', {}],
    ['null', null],
  ])('clears them with %s', async (_what, cleared) => {
    await patch({ customVariables }, id);
    expect((await patch({ customVariables: cleared }, id)).body).toMatchObject({ customVariables: {} });
    expect((await desk.subscription(id)).context['customVariables']).toEqual({});
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
    const reply = await patch(body, id);
    expect([reply.status, reply.body]).toEqual([400, { error: expect.stringContaining(message) }]);
  });
});
