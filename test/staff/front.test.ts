import { inspectionSchema, troubleSchema } from '../../src/staff/wire.ts';
import { event } from '../store/support/documents.ts';
import { BOB, CAROL, offerBody } from '../support/bodies.ts';
import { idOf, idsOf, priceIdOf } from '../support/http.ts';
import { MerchantOverHttp } from '../support/merchant-over-http.ts';
import { adaAt } from './support/staff.ts';

const merchant = await MerchantOverHttp.open();
const ada = adaAt(merchant.http);
const id = await merchant.subscribe(
  { email: 'Mia@Example.com', merchantReferenceId: 'user-17', name: 'Mia' },
  {},
  CAROL,
);
const txHash = await merchant.settleCharge(id);
const paymentId = await merchant.failCharge(id, 'insufficient_balance');

async function search(q: string): Promise<string[]> {
  return idsOf(await ada.get(`/search?q=${encodeURIComponent(q)}`), 'results');
}

describe('GET /staff/api/search', () => {
  it('finds a subscription by its id, in capitals, bare, quoted, or at the end of a URL', async () => {
    const bare = id.slice('sub_'.length);
    for (const q of [id, id.toUpperCase(), bare, ` "${id}" `, `https://shop.example/admin/subs/${id}?tab=2`]) {
      expect(await search(q)).toEqual([id]);
    }
  });

  it('finds a payment in all three spellings', async () => {
    for (const prefix of ['pay_', 'inv_', 'sub-pay-']) {
      expect(await search(paymentId.replace('pay_', prefix))).toEqual([paymentId]);
    }
  });

  it('finds the payments of a wallet in both directions, in any form of its address', async () => {
    for (const q of [CAROL, CAROL.toLowerCase(), `0x${CAROL.slice(2).toUpperCase()}`]) {
      const ids = await search(q);
      expect(ids).toEqual(expect.arrayContaining([id, paymentId, expect.stringMatching(/^cust_/)]));
    }
    expect(await search(BOB)).toEqual([expect.stringMatching(/^wal_/)]);
  });

  it('finds a payment by its transaction', async () => {
    const ids = await search(txHash);
    expect(ids).toHaveLength(1);
    const { body } = await ada.get(`/payments/${ids[0]}`);
    expect(body).toMatchObject({ payments: [{ cycle: 1, status: 'settled' }] });
  });

  it('finds a customer by email address and by reference, with all its resources', async () => {
    for (const q of ['Mia@Example.com', 'user-17']) {
      expect(await search(q)).toEqual(expect.arrayContaining([expect.stringMatching(/^cust_/), id, paymentId]));
    }
  });

  it('finds merchants, customers and offers by the beginning of a name in any case; exact matches come first', async () => {
    const named = idOf(await merchant.post('/customers', { name: 'Élodie  (Zoo) 50%', email: 'Zoë@example.com' }));
    const referred = idOf(await merchant.post('/customers', { merchantReferenceId: 'ZOO-1' }));
    const exact = idOf(await merchant.post('/customers', { merchantReferenceId: 'zoo' }));
    const offer = idOf(await merchant.post('/offers', offerBody({ name: 'Zoo ticket' })));
    const { merchant: zoo } = await merchant.http.merchant('ZOOLOGY');
    for (const q of ['éLODIE', 'E\u0301lodie  (zoo)', ' élodie  (ZOO) 50%', 'ZOË@'])
      expect(await search(q)).toEqual([named]);
    expect(await search('zoo')).toEqual([exact, zoo._id, referred, offer]);
    expect(await search('zool')).toEqual([zoo._id]);
    expect(await search('lodie')).toEqual([]);
    await merchant.patch(`/customers/${named}`, { name: 'Renate' });
    await merchant.patch(`/offers/${offer}`, { name: 'Park ticket' });
    expect(await search('renat')).toEqual([named]);
    expect(await search('park t')).toEqual([offer]);
    expect(await search('élodie')).toEqual([]);
    await merchant.delete(`/customers/${named}`);
    for (const q of ['renat', 'zoë']) expect(await search(q)).toEqual([]);
  });

  it('finds by offer, price, merchant, customer and payout wallet', async () => {
    const { body } = await ada.get(`/subscriptions/${id}`);
    for (const each of inspectionSchema.parse(body).related)
      expect(await search(each.id)).toEqual(expect.arrayContaining([each.id, id]));
    const priceId = priceIdOf((await merchant.subscription(id)).context);
    expect(await search(priceId)).toEqual(expect.arrayContaining([id]));
    expect(await search(merchant.id)).toEqual([merchant.id]);
  });

  it('finds nothing for unknown texts', async () => {
    const nothing = [
      'sub_00000000000000000000000009',
      '0x0000000000000000000000000000000000000009',
      'nobody@example.com',
      '%%',
    ];
    for (const q of nothing) expect(await search(q)).toEqual([]);
    expect((await ada.get('/search')).status).toBe(400);
  });
});

describe('GET /staff/api/trouble', () => {
  async function sections(query = '') {
    const { body } = await ada.get(`/trouble${query}`);
    const { sections: all, charges } = troubleSchema.parse(body);
    return { by: new Map(all.map((each) => [each.name, each])), charges };
  }

  it('shows past due subscriptions, and why', async () => {
    const { by } = await sections();
    expect(by.get('past_due')).toMatchObject({
      count: 1,
      items: [{ id, detail: 'the wallet has too little of the token' }],
    });
  });

  it('shows quarantined actors, and charges that are open for too long', async () => {
    const other = await merchant.subscribe();
    await merchant.billing.engine.quarantine('subscription', other, 'a test');
    const stuck = await merchant.beginCharge(await merchant.subscribe());
    const before = merchant.http.now;
    merchant.http.now = new Date(before.getTime() + 6 * 60_000);
    const { by } = await sections();
    merchant.http.now = before;
    expect(by.get('quarantined')).toMatchObject({ count: 1, items: [{ id: other, detail: 'a test' }] });
    expect(by.get('stuck_charges')?.items.map((item) => item.id)).toContain(stuck);
  });

  it('shows failing endpoints, each once', async () => {
    const { store } = merchant.http;
    const [doc] = await store.actors.load('subscription', [id]);
    const { merchantId = '' } = doc ?? {};
    await store.records.insert('events', [
      event({ merchantId, status: 'retrying' }),
      event({ merchantId, status: 'retrying' }),
    ]);
    const { by } = await sections();
    expect(by.get('failing_endpoints')).toMatchObject({
      count: 1,
      items: [{ detail: expect.stringContaining('2 deliveries') }],
    });
  });

  it('counts charges settled and failed, hour by hour, or for a week', async () => {
    const { charges } = await sections();
    expect(charges.bars).toHaveLength(24);
    expect(charges.bars.at(-1)).toEqual({ from: '2030-01-15T10:00:00.000Z', settled: 1, failed: 1 });
    expect((await sections('?range=week')).charges.bars).toHaveLength(28);
  });

  it('lists each kind of trouble in parts', async () => {
    const other = await merchant.subscribeAndPay();
    await merchant.failCharge(other, 'insufficient_balance');
    const first = await ada.get('/trouble/past_due?limit=1');
    const second = await ada.get('/trouble/past_due?limit=1&start=1');
    expect(first.body).toMatchObject({
      count: 2,
      limit: 1,
      start: 0,
      hasMore: true,
      items: [{ kind: 'subscription' }],
    });
    expect(second.body).toMatchObject({ count: 2, start: 1, hasMore: false });
    expect(new Set([...idsOf(first, 'items'), ...idsOf(second, 'items')])).toEqual(new Set([id, other]));
    for (const name of ['stuck_charges', 'held_deposits', 'failing_endpoints', 'quarantined', 'gas', 'audit']) {
      expect((await ada.get(`/trouble/${name}?start=1000`)).body).toMatchObject({ name, items: [], hasMore: false });
    }
    expect((await ada.get('/trouble/unknown')).status).toBe(404);
    expect((await ada.get('/trouble/gas?start=1001')).status).toBe(400);
    await ada.post(`/subscriptions/${other}/cancel`);
  });
});
