import { CAROL } from '../support/bodies.ts';
import { idOf, idsOf } from '../support/http.ts';
import { MerchantOverHttp } from '../support/merchant-over-http.ts';
import { signedIn } from './support.ts';

const merchant = await MerchantOverHttp.open();
const other = await MerchantOverHttp.signUp(merchant.http, merchant.chain, 'Tea Club');
const viewer = await signedIn(merchant.http, { merchant: { _id: merchant.id } }, 'viewer');
const id = await merchant.subscribe(
  { email: 'Mia@Example.com', merchantReferenceId: 'user-17', name: 'Mia' },
  {},
  CAROL,
);
const txHash = await merchant.settleCharge(id);

async function found(q: string, mode = 'test'): Promise<readonly string[]> {
  return idsOf(await viewer.call('GET', `/search?mode=${mode}&q=${encodeURIComponent(q)}`), 'results');
}

describe('the search of the dashboard', () => {
  it('finds customers, subscriptions, payments and offers', async () => {
    const ids = [/^cust_/, /^sub_/, /^pay_/].map((form) => expect.stringMatching(form));
    for (const q of ['Mia@Example.com', 'user-17', CAROL]) expect(await found(q)).toEqual(expect.arrayContaining(ids));
    expect(await found(txHash)).toEqual([expect.stringMatching(/^pay_/)]);
    expect(await found('coffee mon')).toEqual([expect.stringMatching(/^offer_/)]);
  });

  it('finds nothing of the other mode, of another merchant, or that is deleted', async () => {
    for (const q of [id, 'Mia', 'Mia@Example.com', CAROL, txHash, 'Coffee'])
      expect([q, await found(q, 'live')]).toEqual([q, []]);
    const theirs = idOf(await other.post('/customers', { name: 'Mia Other', email: 'other@example.com' }));
    expect(await found('mia o')).toEqual([]);
    for (const q of [theirs, 'other@example.com', other.id]) expect([q, await found(q)]).toEqual([q, []]);
    const gone = idOf(await merchant.post('/customers', { merchantReferenceId: 'gone' }));
    await merchant.call('DELETE', `/customers/${gone}`);
    for (const q of [gone, 'gone']) expect([q, await found(q)]).toEqual([q, []]);
  });

  it("gives the names of customers and offers, but no other merchant's", async () => {
    const [mail, nameless, theirs] = [
      idOf(await merchant.post('/customers', { email: 'zoe@example.com' })),
      idOf(await merchant.post('/customers', {})),
      idOf(await other.post('/customers', { name: 'Theirs' })),
    ];
    const names = async (mode: string) =>
      (await viewer.call('GET', `/names?mode=${mode}&ids=${[mail, nameless, theirs].join(',')}`)).body;
    expect(await names('test')).toEqual({ names: { [mail]: 'zoe@example.com' } });
    expect(await names('live')).toEqual({ names: {} });
  });
});
