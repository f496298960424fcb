import { ROUTES } from '../../src/api/routes.ts';
import type { InProcessService } from '../../stage/in-process-service.ts';
import { ALICE, offerBody, paymentBody } from '../support/bodies.ts';
import { answerAtDeadline, type HttpHarness, idOf, priceIdOf, type Reply, startHttp } from '../support/http.ts';

let http: HttpHarness;
let billing: InProcessService;
let key: string;
beforeAll(async () => {
  http = await startHttp();
  ({ billing } = http);
});
beforeEach(async () => {
  key = (await http.merchant()).testKey;
});

type Body = { readonly [field: string]: unknown };

/** A body of each route that takes an idempotency key, and one that means something else. */
const BODIES: Readonly<Record<string, readonly [body: () => Promise<Body>, other: Body]>> = {
  'POST /offers': [async () => ({ ...offerBody(), identifier: 'pro' }), { name: 'Basic' }],
  'POST /customers': [async () => ({ wallets: [{ chainFamily: 'evm', address: ALICE }] }), { name: 'Eve' }],
  'POST /subscriptions': [subscription, { customVariables: { seats: 2 } }],
  'POST /payments': [async () => ({ ...paymentBody() }), { amount: '11.00' }],
};

const routes = ROUTES.filter(({ method, endpoint }) => method === 'POST' && 'idempotencyKey' in endpoint.body.shape);

it('every route that takes an idempotency key has a body here', () => {
  expect(Object.keys(BODIES)).toEqual(routes.map(({ method, path }) => `${method} ${path}`));
});

describe.each(Object.entries(BODIES))('%s with an idempotency key', (name, [made, other]) => {
  const path = name.replace('POST ', '');
  let idempotencyKey = '';
  let body: Body;
  beforeEach(async () => {
    idempotencyKey = `${name} ${key}`;
    body = { ...(await made()), idempotencyKey };
  });

  /** A payment is answered when its charge has ended, and here none ends. */
  const create = (sent: unknown): Promise<Reply> =>
    answerAtDeadline(http, http.call('POST', path, { key, body: sent }));

  it('makes one resource of many requests at the same time', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => create(body)));
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
    expect(new Set(replies.map(idOf)).size).toBe(1);
  });

  it('answers 200 with the original later, and makes and sends nothing', async () => {
    const first = await create(body);
    await billing.quiet();
    const sent = await http.store.records.count('events', {});
    http.now = new Date(http.now.getTime() + 1_000);
    const reversed = Object.fromEntries(Object.entries(body).reverse());
    const again = await create({ ...reversed, aFieldThatIsNotKnown: 1 });
    expect([first.status, again.status, idOf(again)]).toEqual([201, 200, idOf(first)]);
    expect(again.body).toMatchObject({ createdAt: Reflect.get(Object(first.body), 'createdAt') });
    expect(again.headers.has('idempotency-mismatch')).toBe(false);
    await billing.quiet();
    expect(await http.store.records.count('events', {})).toBe(sent);
  });

  it('shows that the original had another body, and leaves it unchanged', async () => {
    const first = await create(body);
    const differs = await create({ ...body, ...other });
    expect([differs.status, idOf(differs), differs.headers.get('idempotency-mismatch')]).toEqual([
      200,
      idOf(first),
      'true',
    ]);
    expect(differs.body).not.toMatchObject(other);
  });

  it('leaves the key free if the request is refused', async () => {
    const [field = ''] = Object.keys(body);
    expect((await create({ ...body, [field]: 7 })).status).toBe(400);
    expect((await create(body)).status).toBe(201);
  });
});

async function subscription(): Promise<Body> {
  const priceId = priceIdOf(await http.call('POST', '/offers', { key, body: offerBody() }));
  return { priceId, customerId: idOf(await http.call('POST', '/customers', { key, body: {} })) };
}
