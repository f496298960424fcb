import { createClient, type Tideline } from 'tideline/client';
import { newId } from '../../src/store/ids.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { event } from '../store/support/documents.ts';
import { monthly } from '../support/bodies.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { type HttpHarness, idOf, startHttp } from '../support/http.ts';

/** Loops over lists that change while they are read, on the API over the real machines and MongoDB. */
let store: LedgerStore;
let service: HttpHarness;
let client: Tideline;
let key: string;
let tenant: { merchantId: string; mode: 'test' };

beforeAll(async () => {
  store = await (await startTestDevnet()).openStore('pages');
  service = await startHttp({ store });
  service.now = new Date();
}, 120_000);
afterAll(() => service.stop());
beforeEach(async () => {
  const { merchant, testKey } = await service.merchant();
  await store.records.change('merchants', merchant._id, {}, { set: { limitFactor: 10_000 } });
  tenant = { merchantId: merchant._id, mode: 'test' };
  key = testKey;
  client = createClient({ apiKey: key, baseUrl: `${service.url}/v1`, maxRetries: 0 });
});

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function offers(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    ids.push((await client.offers.create({ name: `Offer ${index}`, pricing: [PRICE] })).id);
  }
  return ids;
}

const PRICE = {
  amount: '9.90',
  acceptedTokens: ['usdc-local-evm'],
  billing: { type: 'recurring', interval: 'month' },
} as const;

async function pending(count: number): Promise<string[]> {
  const [offer, customer] = [
    await client.offers.create({ name: 'Pro', pricing: [PRICE] }),
    await client.customers.create({}),
  ];
  const priceId = offer.pricing[0]?.id ?? '';
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    ids.push((await client.subscriptions.create({ priceId, customerId: customer.id })).id);
  }
  return ids;
}

describe('a loop that changes the filtered field', () => {
  it('cancels every one of 250 pending subscriptions', async () => {
    await pending(250);
    for await (const { id } of client.subscriptions.all({ status: 'pending' })) await client.subscriptions.cancel(id);
    expect(await collected(client.subscriptions.all({ status: 'pending' }))).toEqual([]);
    expect(await collected(client.subscriptions.all({ status: 'canceled' }))).toHaveLength(250);
  }, 120_000);

  it('deactivates every offer and deletes every customer, each once', async () => {
    const made = await offers(7);
    const met: string[] = [];
    for await (const { id } of client.offers.all({ active: true, limit: 2 })) {
      met.push(id);
      await client.offers.update(id, { active: false });
    }
    expect(met.toSorted()).toEqual(made.toSorted());
    for (let index = 0; index < 5; index += 1) await client.customers.create({ name: `Ada ${index}` });
    for await (const { id } of client.customers.all({ limit: 2 })) await client.customers.delete(id);
    expect(await collected(client.customers.all())).toEqual([]);
  });

  it('deletes every offer, which then disappears from the list', async () => {
    await offers(5);
    for await (const { id } of client.offers.all({ limit: 2 })) await client.offers.delete(id);
    expect((await client.offers.list()).offers).toEqual([]);
  });
});

describe('a page', () => {
  it('costs one round trip, and one more if it starts after a resource', async () => {
    const [first = ''] = await offers(3);
    await client.offers.list();
    const roundTrips = async (query: object) => {
      const before = store.roundTrips();
      await client.offers.list(query);
      return store.roundTrips() - before;
    };
    const plain = await roundTrips({ limit: 1 });
    expect(await roundTrips({ limit: 3 })).toBe(plain);
    expect(await roundTrips({ startingAfter: first })).toBe(plain + 1);
  });

  const LISTS = ['offers', 'customers', 'subscriptions', 'payments', 'events'] as const;

  it.each(LISTS)('of %s cannot start after an unknown resource, nor after another merchant’s', async (list) => {
    const other = await service.merchant();
    const foreign: { [name: string]: string } = {
      offers: idOf(
        await service.call('POST', '/offers', { key: other.testKey, body: { name: 'X', pricing: [monthly()] } }),
      ),
    };
    const none = await service.call('GET', `/${list}?startingAfter=nothing`, { key });
    expect(none).toMatchObject({
      status: 400,
      body: { error: 'startingAfter must be the id of a resource of this list' },
    });
    const theirs = await service.call('GET', `/${list}?startingAfter=${foreign[list] ?? 'evt_1'}`, { key });
    expect(theirs.body).toEqual(none.body);
    const both = await service.call('GET', `/${list}?startingAfter=nothing&start=0`, { key });
    expect(both).toMatchObject({ status: 400, body: { error: 'start must be absent where startingAfter is given' } });
  });
});

describe('GET /events', () => {
  it('lists events of the same moment by sequence, and continues after any of them', async () => {
    const at = new Date();
    const resourceId = newId('cust', at);
    const docs = Array.from({ length: 12 }, (_, index) =>
      event({
        ...tenant,
        _id: newId('evt', at),
        resourceId,
        sequence: index + 1,
        event: index % 2 === 0 ? 'customer.updated' : 'customer.deleted',
        createdAt: at,
        data: { customerId: resourceId, ...(index % 2 === 0 ? { wallets: [] } : {}) },
      }),
    );
    await store.records.insert('events', docs);
    const found = await collected(client.events.all({ limit: 5 }));
    expect(found.map(({ sequence }) => sequence)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    const deleted = await collected(client.events.all({ event: 'customer.deleted', limit: 2 }));
    expect(deleted.map(({ sequence }) => sequence)).toEqual([12, 10, 8, 6, 4, 2]);
  });
});
