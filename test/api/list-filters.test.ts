import { newId } from '../../src/store/ids.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { event } from '../store/support/documents.ts';
import { ALICE, BOB, monthly, offerBody, paymentBody, SOL_ALICE } from '../support/bodies.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { ExplainedStore } from '../support/explained-store.ts';
import {
  answerAtDeadline,
  expectError,
  type HttpHarness,
  idOf,
  idsOf,
  type Reply,
  startHttp,
} from '../support/http.ts';

const SECOND = 1_000;

const services = new Map<string, HttpHarness>();

const devnet = await startTestDevnet();
const raw = await devnet.openClient();
const explained = new ExplainedStore(await devnet.openStore('filters'));
services.set('memory', await startHttp({ store: openMemoryStore() }));
services.set('MongoDB', await startHttp({ store: explained.store }));

/** The filters of lists, over HTTP (docs/rules.md, "Limits"). */
describe.each(['memory', 'MongoDB'])('the lists on %s', (form) => {
  let service: HttpHarness;
  let key: string;
  let merchantId: string;

  beforeAll(() => {
    const found = services.get(form);
    if (!found) throw new Error(`there is no service on ${form}`);
    service = found;
  });

  beforeEach(async () => {
    const made = await service.merchant();
    key = made.testKey;
    merchantId = made.merchant._id;
    explained.forget();
  });

  const call = (method: string, path: string, body?: object): Promise<Reply> => {
    service.later(SECOND);
    return service.call(method, path, { key, ...(body === undefined ? {} : { body }) });
  };
  const make = async (path: string, body: object): Promise<string> => idOf(await call('POST', path, body));
  const pay = async (body: object): Promise<string> =>
    idOf(await answerAtDeadline(service, call('POST', '/payments', paymentBody(body))));
  /** Logs an event of the merchant. */
  const log = async (status: 'delivered' | 'retrying' | 'failed' = 'delivered'): Promise<void> => {
    service.later(SECOND);
    const [_id, customerId] = [newId('evt', service.now), newId('cust', service.now)];
    const deleted = { event: 'customer.deleted', data: { customerId } };
    const doc = event({ _id, merchantId, mode: 'test', status, createdAt: service.now, ...deleted });
    await service.store.records.insert('events', [doc]);
  };
  const found = async (path: string, list: string): Promise<readonly string[]> => {
    const reply = await call('GET', path);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('x-ignored-fields')).toBeNull();
    return idsOf(reply, list);
  };
  /** On MongoDB, no list since the start of the test has read a whole collection. */
  const expectIndexes = async (): Promise<void> => {
    if (form === 'MongoDB') expect(await explained.scans(raw.db('filters'), { sorts: true })).toEqual([]);
  };

  it('find customers by e-mail address and by the id of the merchant', async () => {
    const mia = await make('/customers', { email: 'mia@example.com', merchantReferenceId: 'user-1' });
    const again = await make('/customers', { email: 'mia@example.com' });
    await make('/customers', { email: 'Mia@example.com' });
    expect(await found('/customers?email=mia@example.com', 'customers')).toEqual([again, mia]);
    expect(await found('/customers?email=mia%40example.com&limit=1', 'customers')).toEqual([again]);
    expect(await found(`/customers?email=mia@example.com&startingAfter=${again}`, 'customers')).toEqual([mia]);
    expect(await found('/customers?merchantReferenceId=user-1', 'customers')).toEqual([mia]);
    expect(await found('/customers?merchantReferenceId=user-1&email=other@example.com', 'customers')).toEqual([]);
    await call('DELETE', `/customers/${again}`);
    expect(await found('/customers?email=mia@example.com', 'customers')).toEqual([mia]);
    await expectIndexes();
  });

  it('find customers by their wallet: EVM in any case, Solana exactly', async () => {
    const evm = await make('/customers', { wallets: [{ chainFamily: 'evm', address: ALICE }] });
    const wallets = [
      { chainFamily: 'solana', address: SOL_ALICE },
      { chainFamily: 'evm', address: BOB },
    ];
    const both = await make('/customers', { wallets });
    const having = (wallet: string) => found(`/customers?walletAddress=${wallet}`, 'customers');
    for (const address of [ALICE, ALICE.toLowerCase(), `0x${ALICE.slice(2).toUpperCase()}`]) {
      expect(await having(address)).toEqual([evm]);
    }
    expect(await having(SOL_ALICE)).toEqual([both]);
    expect(await having(SOL_ALICE.toLowerCase())).toEqual([]);
    expect(await having('nobody')).toEqual([]);
    expect(await having(`${ALICE}&start=1`)).toEqual([]);
    await expectIndexes();
  });

  it('find offers by their identifier, and by whether they are active, before they page', async () => {
    const pro = await make('/offers', offerBody({ identifier: 'pro' }));
    const hidden = await make('/offers', offerBody({ active: false }));
    const other = await make('/offers', offerBody({ identifier: 'pro-2' }));
    const alsoHidden = await make('/offers', offerBody({ active: false }));
    expect(await found('/offers?identifier=pro', 'offers')).toEqual([pro]);
    expect(await found('/offers?identifier=p', 'offers')).toEqual([]);
    expect(await found('/offers?active=false&limit=1', 'offers')).toEqual([alsoHidden]);
    expect(await found('/offers?active=false&limit=1&start=1', 'offers')).toEqual([hidden]);
    expect(await found('/offers?active=true', 'offers')).toEqual([other, pro]);
    await expectIndexes();
  });

  it('page without gaps or repetitions, newest first, and show the effective page', async () => {
    const made: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) made.unshift(await make('/customers', { name }));
    const pages = ['?limit=2', '?limit=2&start=2', '?limit=2&start=4'].map((page) => call('GET', `/customers${page}`));
    const replies = await Promise.all(pages);
    expect(replies.flatMap((reply) => idsOf(reply, 'customers'))).toEqual(made);
    expect(replies[2]?.body).toMatchObject({ limit: 2, start: 4 });
    expect((await call('GET', '/customers')).body).toMatchObject({ limit: 20, start: 0 });
  });

  it.each(['customers', 'offers', 'events'])('find %s by the time of their creation', async (list) => {
    const moments: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      if (list === 'offers') await make('/offers', offerBody({ name }));
      else if (list === 'customers') await make('/customers', { name });
      else await log();
      moments.push(service.now.toISOString());
    }
    const [first = '', second = '', third = ''] = moments;
    const all = await found(`/${list}`, list);
    expect(all).toHaveLength(3);
    const within = (range: string) => found(`/${list}?${range}`, list);
    expect(await within(`created[gte]=${second}`)).toEqual(all.slice(0, 2));
    expect(await within(`created%5Bgt%5D=${second}`)).toEqual(all.slice(0, 1));
    expect(await within(`created[lt]=${second}`)).toEqual(all.slice(2));
    expect(await within(`created[lte]=${second}`)).toEqual(all.slice(1));
    expect(await within(`created[gte]=${first}&created[lt]=${third}`)).toEqual(all.slice(1));
    expect(await within(`created[gte]=${third}&created[lt]=${first}`)).toEqual([]);
    expect(await within(`created[gte]=${first}&limit=1&start=1`)).toEqual(all.slice(1, 2));
    await expectIndexes();
  });

  it('find events that have not reached the endpoint', async () => {
    for (const status of ['failed', 'delivered', 'retrying', 'failed'] as const) await log(status);
    const [late, open, , early] = await found('/events', 'events');
    expect(await found('/events?delivery=failed', 'events')).toEqual([late, early]);
    expect(await found('/events?delivery=failed&limit=1&start=1', 'events')).toEqual([early]);
    expect(await found('/events?delivery=retrying&event=customer.deleted', 'events')).toEqual([open]);
    expect(await found('/events?delivery=failed&event=customer.created', 'events')).toEqual([]);
    for (const other of ['order=asc', 'wait=1'])
      expectError(await call('GET', `/events?delivery=failed&${other}`), 400, 'delivery is not for order=asc or wait');
    expectError(await call('GET', '/events?delivery=delivered'), 400, expect.stringMatching(/^delivery must be/));
    await expectIndexes();
  });

  it('page through events of one moment by their numbers', async () => {
    const { now } = service;
    const resourceId = newId('cust', now);
    const deleted = { event: 'customer.deleted', data: { customerId: resourceId } };
    const about = { merchantId, mode: 'test', resourceId, createdAt: now, ...deleted } as const;
    const docs = [2, 1, 4, 3].map((sequence) => event({ ...about, _id: newId('evt', now), sequence }));
    await service.store.records.insert('events', docs);
    const [second, first, fourth, third] = docs.map(({ _id }) => _id);
    expect(await found('/events?limit=2', 'events')).toEqual([fourth, third]);
    expect(await found(`/events?limit=2&startingAfter=${third}`, 'events')).toEqual([second, first]);
  });

  it('find offers by their metadata', async () => {
    const growth = await make('/offers', offerBody({ metadata: { team: 'growth', region: 'eu' } }));
    const core = await make('/offers', offerBody({ metadata: { team: 'core', region: 'eu' } }));
    await make('/offers', offerBody());
    expect(await found('/offers?metadata[team]=growth', 'offers')).toEqual([growth]);
    expect(await found('/offers?metadata[region]=eu', 'offers')).toEqual([core, growth]);
    expect(await found('/offers?metadata[region]=eu&metadata[team]=core', 'offers')).toEqual([core]);
    expect(await found('/offers?metadata[region]=eu&limit=1&start=1', 'offers')).toEqual([growth]);
    expect(await found('/offers?metadata[missing]=x', 'offers')).toEqual([]);
    await expectIndexes();
  });

  it('find payments and subscriptions', async () => {
    const big = await pay({ idempotencyKey: `${form}-1`, metadata: { order: '1001' } });
    const between = service.now.toISOString();
    const small = await pay({ idempotencyKey: `${form}-2`, metadata: { order: '1002', note: 'é ☕' } });
    expect(await found('/payments?metadata[order]=1001', 'payments')).toEqual([big]);
    expect(await found(`/payments?metadata[note]=${encodeURIComponent('é ☕')}`, 'payments')).toEqual([small]);
    expect(await found('/payments?metadata[order]=1001&source=subscription', 'payments')).toEqual([]);
    expect(await found(`/payments?created[gt]=${between}`, 'payments')).toEqual([small]);
    const offer = await call('POST', '/offers', offerBody({ pricing: [monthly()] }));
    const priceId = /"id":"(price_\w+)"/.exec(JSON.stringify(offer.body))?.[1];
    const customerId = await make('/customers', {});
    const subscription = await make('/subscriptions', { customerId, priceId });
    const since = service.now.toISOString();
    expect(await found(`/subscriptions?created[gte]=${since}`, 'subscriptions')).toEqual([subscription]);
    expect(await found(`/subscriptions?created[lt]=${since}`, 'subscriptions')).toEqual([]);
    await expectIndexes();
  });

  it.each(['will_not_renew', 'approval_missing', 'balance_missing'])('find subscriptions by %s', async (attention) => {
    expect(await found(`/subscriptions?attention=${attention}`, 'subscriptions')).toEqual([]);
    expect(await found(`/subscriptions?attention=${attention}&status=active&start=1`, 'subscriptions')).toEqual([]);
    await expectIndexes();
  });

  it('count what they find on all pages, and add payments up, on request', async () => {
    for (const name of ['a', 'b', 'c']) await make('/customers', { name, email: 'mia@example.com' });
    const { body } = await call('GET', '/customers?email=mia@example.com&limit=1&totals=true');
    expect(body).toMatchObject({ hasMore: true, totals: { count: 3, hasMore: false } });
    expect((await call('GET', '/customers')).body).not.toHaveProperty('totals');
    await pay({ idempotencyKey: `${form}-3` });
    const totals = { count: 1, hasMore: false, sums: [] };
    expect((await call('GET', '/payments?totals=true')).body).toMatchObject({ totals });
    const none = { totals: { count: 0, hasMore: false } };
    expect((await call('GET', '/payments?totals=true&status=settled')).body).toMatchObject(none);
    expect((await call('GET', '/subscriptions?totals=true&attention=balance_missing')).body).toMatchObject(none);
    await expectIndexes();
  });

  it.each([
    ['customers?created[gte]=yesterday', /^created\.gte must be an ISO 8601 timestamp/],
    ['customers?created=2030-01-01T00:00:00Z', /^created must be a JSON object/],
    ['customers?created[gte]=2030-01-01T00:00:00Z&created[gte]=2031-01-01T00:00:00Z', /^created\.gte /],
    ['customers?created[__proto__]=2030-01-01T00:00:00Z', /"__proto__" must not be used as a key/],
    ['offers?metadata[a.b]=x', /must have keys without dots/],
    ['offers?metadata[$where]=x', /must have keys without dots that do not begin with \$/],
    [
      `offers?${Array.from({ length: 11 }, (_, n) => `metadata[k${n}]=x`).join('&')}`,
      /^metadata must have at most 10 keys/,
    ],
    ...['offers', 'customers', 'subscriptions', 'payments', 'events'].map(
      (list) => [`${list}?startingAfter=nothing`, /^startingAfter must be the id of a resource of this list$/] as const,
    ),
    ['offers?startingAfter=nothing&start=0', /^start must be absent where startingAfter is given$/],
    ...['0', '101', '-1', '1.5', 'ten', '', '1e1', '%2010'].map(
      (limit) => [`offers?limit=${limit}`, /^limit must be between 1 and 100$/] as const,
    ),
    ...['-1', 'x', '1.5', '99999999999'].map(
      (start) => [`offers?start=${start}`, /^start must be between 0 and 1000000000$/] as const,
    ),
  ] as const)('refuse %s', async (path, message) => {
    expectError(await service.send('GET', `/v1/${path}`, { key }), 400, expect.stringMatching(message));
  });

  it('name what they do not know', async () => {
    const { headers } = await call('GET', '/customers?created[since]=2030-01-01T00:00:00Z&limit[a]=1');
    expect(headers.get('x-ignored-fields')).toBe('created.since, limit[a]');
  });
});
