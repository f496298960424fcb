import { expectError } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

const merchant = await MerchantOverHttp.open();
await merchant.http.store.records.change('merchants', merchant.id, {}, { set: { limitFactor: 100 } });
const id = await merchant.subscribe();

describe('PATCH /subscriptions/{subscriptionId} 200', () => {
  const customVariables = { team: 'a', beta: true, seats: 2.5 };

  it('replaces the variables, and shows the subscription', async () => {
    const reply = await merchant.patch(`/subscriptions/${id}`, { customVariables });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ id, status: 'pending', customVariables, authorizationUrl: null });
  });

  it('replaces them in every status', async () => {
    const steps: readonly [status: string, (of: string) => Promise<unknown>][] = [
      ['active', (of) => merchant.settleCharge(of)],
      ['past_due', (of) => merchant.failCharge(of, 'insufficient_balance')],
      ['canceled', (of) => merchant.post(`/subscriptions/${of}/cancel`)],
    ];
    const own = await merchant.subscribe();
    for (const [status, step] of steps) {
      await step(own);
      const variables = { customVariables: { step: status } };
      expect(await merchant.patch(`/subscriptions/${own}`, variables)).toMatchObject({
        status: 200,
        body: { status, ...variables },
      });
    }
  });

  it.each([
    ['nothing', {}],
    ['null', null],
  ])('clears them with %s', async (_what, cleared) => {
    await merchant.patch(`/subscriptions/${id}`, { customVariables });
    expect((await merchant.patch(`/subscriptions/${id}`, { customVariables: cleared })).body).toMatchObject({
      customVariables: {},
    });
    expect((await merchant.subscription(id)).context['customVariables']).toEqual({});
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
    expectError(await merchant.patch(`/subscriptions/${id}`, body), 400, expect.stringContaining(message));
  });
});
