import { dayOf } from '../../src/store/windows.ts';
import { ALICE, BOB, CAROL, monthly, offerBody } from '../support/bodies.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { idOf, priceIdOf, type Reply, startHttp, useMerchant } from '../support/http.ts';

/** Results that only real unique indexes and conditional writes decide, over two servers on one database. */
const { openStore } = await startTestDevnet();
const one = await startHttp({ store: await openStore('http') });
const other = await startHttp({ store: await openStore('http') });
// The counters expire by the engine's own clock.
one.now = new Date();
other.now = one.now;
afterAll(async () => {
  await Promise.all([one.stop(), other.stop()]);
});
const merchant = useMerchant(one);
beforeEach(async () => {
  await one.store.records.change('merchants', merchant.id, {}, { set: { limitFactor: 100 } });
});

/** The same call many times at once, half of them at each server. */
function many(count: number, method: string, path: string, bodies: readonly unknown[]): Promise<Reply[]> {
  const calls = Array.from({ length: count }, (_, index) =>
    (index % 2 === 0 ? one : other).call(method, path, { key: merchant.key, body: bodies[index % bodies.length] }),
  );
  return Promise.all(calls);
}

function statuses(replies: readonly Reply[]): { [status: number]: number } {
  const counts: { [status: number]: number } = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('identical creates at two servers', () => {
  it('make one customer and one event', async () => {
    const body = { idempotencyKey: 'c', wallets: [{ chainFamily: 'evm', address: ALICE }] };
    const replies = await many(60, 'POST', '/customers', [body]);
    expect(statuses(replies)).toEqual({ 200: 59, 201: 1 });
    expect(new Set(replies.map(idOf)).size).toBe(1);
    const id = idOf(replies[0] ?? fail());
    const [stored] = await one.store.records.get('customers', [id]);
    expect(stored).toMatchObject({ eventSeq: 1 });
    await other.billing.quiet();
    expect(await one.billing.eventsOf(id)).toMatchObject([{ sequence: 1 }]);
  });

  it('make one offer, even if its identifier collides first', async () => {
    const replies = await many(40, 'POST', '/offers', [offerBody({ idempotencyKey: 'o', identifier: 'pro' })]);
    expect(statuses(replies)).toEqual({ 200: 39, 201: 1 });
    expect(new Set(replies.map(idOf)).size).toBe(1);
  });

  it('make one row of a token, whose events count every change', async () => {
    const bodies = [ALICE, BOB, CAROL, BOB].map((receiverWallet) => ({ tokenKey: 'usdc-base', receiverWallet }));
    const replies = await many(12, 'POST', '/wallets', bodies);
    expect(statuses(replies)).toEqual({ 200: 11, 201: 1 });
    const [row] = await one.store.records.get('wallets', [idOf(replies[0] ?? fail())]);
    await other.billing.quiet();
    const events = await one.billing.eventsOf(row?._id ?? '');
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
    expect(row?.eventSeq).toBe(events.length);
  });
});

describe('usage that two servers count at once', () => {
  it('of one subscription is counted exactly, and each key once', async () => {
    const [customer, offer] = await Promise.all([
      one.call('POST', '/customers', { key: merchant.key, body: {} }),
      one.call('POST', '/offers', { key: merchant.key, body: offerBody({ pricing: [monthly(BY_USE)] }) }),
    ]);
    const body = { customerId: idOf(customer), priceId: priceIdOf(offer) };
    const id = idOf(await one.call('POST', '/subscriptions', { key: merchant.key, body }));
    const records = Array.from({ length: 60 }, (_, index) => ({ quantity: index + 1, idempotencyKey: `run ${index}` }));
    // Every record twice, once at each server.
    const replies = await many(240, 'POST', `/subscriptions/${id}/usage`, [...records, ...records.toReversed()]);
    expect(statuses(replies)).toEqual({ 200: 180, 201: 60 });
    const { body: usage } = await other.call('GET', `/subscriptions/${id}/usage`, { key: merchant.key });
    expect(usage).toMatchObject({ units: 1_830, amount: '18.30' });
    const rows = await one.store.records.find('usage', { where: { subscriptionId: id }, limit: 1_000 });
    expect(rows.map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual(rows.map((_, index) => index + 1));
    expect(rows.flatMap((row) => row.records)).toHaveLength(60);
  });
});

const BY_USE = { amount: '0.01', model: 'metered', capAmount: '50.00' };

describe('a limit over two servers', () => {
  /** GET /wallets: 60 a minute and 10,000 a day in the sandbox. */
  function calls(count: number, key: string): Promise<Reply[]> {
    const asked = Array.from({ length: count }, (_, index) =>
      (index % 2 === 0 ? one : other).call('GET', '/wallets', { key }),
    );
    return Promise.all(asked);
  }

  async function counted(merchantId: string): Promise<number> {
    const key = `${merchantId}/test/GET /wallets/${dayOf(one.now).name}`;
    return one.store.counters.add(key, 0, dayOf(one.now).resetAt);
  }

  beforeEach(() => {
    one.now = new Date('2031-03-31T23:58:30.000Z');
    other.now = one.now;
  });

  it('allows exactly its calls in a minute, and counts all', async () => {
    const { merchant, testKey: key } = await one.merchant();
    expect(statuses(await calls(300, key))).toEqual({ 200: 60, 429: 240 });
    expect(await counted(merchant._id)).toBe(300);
  });

  it('allows exactly its calls in a day', async () => {
    const { merchant, testKey: key } = await one.merchant();
    const counter = `${merchant._id}/test/GET /wallets/${dayOf(one.now).name}`;
    await one.store.counters.add(counter, 9_963, dayOf(one.now).resetAt);
    const replies = await calls(300, key);
    expect(statuses(replies)).toEqual({ 200: 37, 429: 263 });
    const scopes = replies
      .filter(({ status }) => status === 429)
      .map(({ headers }) => headers.get('x-ratelimit-scope'));
    expect(new Set(scopes)).toEqual(new Set(['day']));
    expect(await counted(merchant._id)).toBe(10_263);
  });

  it("counts per minute and once per day if the servers' clocks differ around the end of a minute", async () => {
    const { merchant, testKey: key } = await one.merchant();
    one.now = new Date('2031-03-31T23:58:59.999Z');
    other.now = new Date('2031-03-31T23:59:00.000Z');
    expect(statuses(await calls(200, key))).toEqual({ 200: 120, 429: 80 });
    expect(await counted(merchant._id)).toBe(200);
  });

  it("counts per day if the servers' clocks differ around midnight UTC", async () => {
    const { merchant, testKey: key } = await one.merchant();
    one.now = new Date('2031-03-31T23:59:59.999Z');
    other.now = new Date('2031-04-01T00:00:00.000Z');
    const counter = `${merchant._id}/test/GET /wallets/${dayOf(one.now).name}`;
    await one.store.counters.add(counter, 10_000, dayOf(other.now).resetAt);
    const replies = await calls(100, key);
    const refused = replies.filter(({ status }) => status === 429).map(({ headers }) => headers.get('retry-after'));
    expect([statuses(replies), new Set(refused)]).toEqual([{ 200: 50, 429: 50 }, new Set(['1'])]);
  });
});

function fail(): never {
  throw new Error('a reply was expected');
}
