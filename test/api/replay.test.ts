import { ROUTES } from '../../src/api/routes.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { scriptedChain } from '../../stage/scripted-chain.ts';
import { withRecords } from '../engine/support/stores.ts';
import { deferred } from '../engine/support/world.ts';
import { ALICE, CAROL, offerBody, paymentBody } from '../support/bodies.ts';
import { answerAtDeadline, idOf, priceIdOf, type Reply, startHttp, useHttp, useMerchant } from '../support/http.ts';

const chain = { ...scriptedChain(), enabled: true };
const http = useHttp({ chains: [chain] });
const merchant = useMerchant(http);

type Body = { readonly [field: string]: unknown };

/** A body of each route that makes a resource under an idempotency key, and one that means something else. */
const BODIES: Readonly<Record<string, readonly [body: () => Promise<Body>, other: Body]>> = {
  'POST /offers': [async () => ({ ...offerBody(), identifier: 'pro' }), { name: 'Basic' }],
  'POST /customers': [async () => ({ wallets: [{ chainFamily: 'evm', address: ALICE }] }), { name: 'Eve' }],
  'POST /subscriptions': [subscription, { customVariables: { seats: 2 } }],
  'POST /coupons': [async () => ({ code: 'WELCOME', percentOff: '25', cycles: null }), { cycles: 3 }],
  'POST /payments': [async () => ({ ...paymentBody() }), { amount: '11.00' }],
  'POST /payments/{paymentId}/refunds': [refund, { amount: '2.00' }],
};

/** A usage record is no resource: it has no id (`test/api/subscriptions/usage.test.ts`). */
const routes = ROUTES.filter(
  ({ path, endpoint }) =>
    'idempotencyKey' in endpoint.body.shape && 201 in endpoint.responses && !path.endsWith('/usage'),
);

it('every route that makes a resource under an idempotency key has a body here', () => {
  expect(Object.keys(BODIES)).toEqual(routes.map(({ method, path }) => `${method} ${path}`));
});

describe.each(Object.entries(BODIES))('%s with an idempotency key', (name, [made, other]) => {
  const path = () => name.replace('POST ', '').replace('{paymentId}', settledId);
  let idempotencyKey = '';
  let body: Body;
  beforeEach(async () => {
    idempotencyKey = `${name} ${merchant.key}`;
    body = { ...(await made()), idempotencyKey };
  });

  /** A payment is answered when its charge has ended, and here none ends. */
  const create = (sent: unknown): Promise<Reply> => answerAtDeadline(http, merchant.post(path(), sent));

  it('makes one resource of many requests at the same time', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => create(body)));
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
    expect(new Set(replies.map(idOf)).size).toBe(1);
  });

  it('answers 200 with the original later, and makes and sends nothing', async () => {
    const first = await create(body);
    await http.billing.quiet();
    const sent = await http.store.records.count('events', {});
    http.later(1_000);
    const reversed = Object.fromEntries(Object.entries(body).reverse());
    const again = await create({ ...reversed, aFieldThatIsNotKnown: 1 });
    expect([first.status, again.status, idOf(again)]).toEqual([201, 200, idOf(first)]);
    expect(again.body).toMatchObject({ createdAt: Reflect.get(Object(first.body), 'createdAt') });
    expect(first.headers.has('idempotency-replayed')).toBe(false);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.has('idempotency-mismatch')).toBe(false);
    await http.billing.quiet();
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

/** The payment of the last refund. */
let settledId = '';

async function refund(): Promise<Body> {
  const asked = merchant.post('/payments', paymentBody({ fromWallet: CAROL, idempotencyKey: `paid ${merchant.key}` }));
  const { paymentId } = await chain.charges.waiting({ from: CAROL });
  await chain.charges.settle(paymentId);
  settledId = idOf(await asked);
  return { amount: '1.00', reason: 'broken' };
}

describe('a payment', () => {
  function create(change: object = {}, idempotencyKey = merchant.key): Promise<Reply> {
    const body = paymentBody({ idempotencyKey, ...change });
    return answerAtDeadline(http, merchant.post('/payments', body));
  }

  it.each([
    ['an amount of zero', { amount: '0' }],
    ['a token that there is not', { tokenKey: 'usdc-nowhere' }],
    ['the payer as the payee', { toWallet: ALICE }],
    ['another method', { paymentMethod: 'wallet_transfer', fromWallet: undefined }],
  ])('is the answer to its replay, whatever the body: %s', async (_, other) => {
    const first = await create();
    const again = await create(other);
    expect([first.status, again.status, idOf(again)]).toEqual([201, 200, idOf(first)]);
    expect(again.headers.get('Idempotency-Mismatch')).toBe('true');
  });

  it('is the answer to its replay even if its chain takes no more charges', async () => {
    const first = await create();
    chain.enabled = false;
    const again = await create();
    const other = await create({}, `${merchant.key} later`);
    chain.enabled = true;
    expect([again.status, idOf(again), other.status]).toEqual([200, idOf(first), 400]);
    expect(again.headers.get('Idempotency-Mismatch')).toBeNull();
  });

  it('is made once for simultaneous creates that all found the key free', async () => {
    const twins = 8;
    const store = openMemoryStore();
    const all = deferred<undefined>();
    let claiming = 0;
    /** Every claim of a key waits until all requests are about to claim it: each has read, and found no payment. */
    const raced = withRecords(store, (records) => ({
      insert: async (into, docs) => {
        if (into === 'idempotencyKeys' && ++claiming === twins) all.resolve(undefined);
        if (into === 'idempotencyKeys') await all.promise;
        return records.insert(into, docs);
      },
    }));
    const racing = await startHttp({ chains: [chain], store: raced });
    const { testKey } = await racing.merchant();
    const ask = () => racing.call('POST', '/payments', { key: testKey, body: paymentBody() });
    const replies = await Promise.all(Array.from({ length: twins }, () => answerAtDeadline(racing, ask())));
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array.from({ length: twins - 1 }, () => 200), 201]);
    expect(new Set(replies.map(idOf)).size).toBe(1);
    expect(await store.actors.count('payment', {})).toBe(1);
  });
});

describe('a key whose request died before it created anything', () => {
  it.each(['/payments', '/subscriptions'])('creates what it names with the next request: POST %s', async (path) => {
    const [made] = BODIES[`POST ${path}`] ?? [];
    const body = { ...(await made?.()), idempotencyKey: `dying ${merchant.key}` };
    let isDying = true;
    const fault = async (point: string) => {
      if (point === 'commit.before' && isDying) throw new Error('the process dies here');
    };
    const dying = await startHttp({ chains: [chain], store: http.store, fault });
    dying.now = http.now;
    expect((await dying.call('POST', path, { key: merchant.key, body })).status).toBe(500);
    isDying = false;
    const keys = await http.store.records.find('idempotencyKeys', { where: {}, limit: 100 });
    const mine = keys.filter(({ _id }) => _id.endsWith(`dying ${merchant.key}`));
    const reply = await answerAtDeadline(http, merchant.post(path, body));
    expect([reply.status, idOf(reply)]).toEqual([201, mine[0]?.actorId]);
    await dying.stop();
  });
});

async function subscription(): Promise<Body> {
  const priceId = priceIdOf(await merchant.post('/offers', offerBody()));
  return { priceId, customerId: idOf(await merchant.post('/customers')) };
}
