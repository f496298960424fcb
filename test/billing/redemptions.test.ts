import { checkRedemptions, redeem, releaseRedemption } from '../../src/billing/coupons/redemptions.ts';
import { buildCatalog } from '../../src/chains/catalog.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { withRecords } from '../engine/support/stores.ts';
import { MONTHLY, TestSubscription } from '../machines/support/subscription.ts';
import { coupon as couponOf, insertActors, unique } from '../store/support/documents.ts';

const HOUR_MS = 3_600_000;
const TENANT = { merchantId: 'mrc_1', mode: 'test' } as const;
let store: LedgerStore;
let now: number;

beforeEach(() => {
  store = openMemoryStore();
  now = Date.parse('2026-01-01T00:00:00.000Z');
});

const deps = () => ({ store, clock: () => new Date(now), catalog: buildCatalog() });
const use = (subscriptionId: string) => ({
  subscriptionId,
  customerId: 'cust_1',
  offerId: 'offer_1',
  tokenKey: MONTHLY.tokenKey,
});
const redeems = (id: string, by: string) => redeem(deps(), TENANT, id, use(by));

async function coupon(maxRedemptions: number | null): Promise<string> {
  const made = couponOf({ ...TENANT, maxRedemptions });
  await store.records.insert('coupons', [made]);
  return made._id;
}

/** What the coupon counts, and the rows that count. */
async function counted(couponId: string): Promise<[number, number]> {
  const [stored] = await store.records.get('coupons', [couponId]);
  const rows = await store.records.find('redemptions', { where: { couponId }, limit: 100 });
  return [stored?.redemptions ?? -1, rows.filter(({ releasedAt }) => releasedAt === null).length];
}

describe('the redemptions of a coupon', () => {
  it('are never more than its limit, whoever comes at once', async () => {
    const five = await coupon(5);
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, at) => redeems(five, `sub_${at}`)));
    const refused = results.flatMap((each) => (each.status === 'rejected' ? String(each.reason.message) : []));
    expect(refused).toEqual(Array.from({ length: 15 }, () => 'This coupon has been used up'));
    expect(await counted(five)).toEqual([5, 5]);
  });

  it('are counted once for each subscription, and given back once', async () => {
    const one = await coupon(1);
    await Promise.all([1, 2, 3].map(() => redeems(one, 'sub_1')));
    expect(await counted(one)).toEqual([1, 1]);
    await Promise.all([1, 2, 3].map(() => releaseRedemption(deps(), one, 'sub_1')));
    expect(await counted(one)).toEqual([0, 0]);
    await redeems(one, 'sub_2');
    await expect(redeems(one, 'sub_1')).rejects.toThrow('used up');
  });

  it('lose no row with a process that dies after it has counted, and a late one changes nothing', async () => {
    const two = await coupon(2);
    const dying = withRecords(store, () => ({ putNewer: () => Promise.reject(new Error('killed')) }));
    await expect(redeem({ ...deps(), store: dying }, TENANT, two, use('sub_1'))).rejects.toThrow('killed');
    expect(await counted(two)).toEqual([1, 0]);
    const [{ moving = null } = {}] = await store.records.get('coupons', [two]);
    await redeems(two, 'sub_2');
    expect(await counted(two)).toEqual([2, 2]);
    await releaseRedemption(deps(), two, 'sub_1');
    if (moving !== null) await store.records.putNewer('redemptions', [moving]);
    expect(await counted(two)).toEqual([1, 1]);
  });

  it('are given back after an hour if the subscription never got its discount', async () => {
    const some = await coupon(null);
    const made = new TestSubscription();
    const [bare, has] = [unique('sub'), unique('sub')];
    await insertActors(store, [made.doc({ _id: bare })]);
    made.send({ type: 'discount.requested', discount: await redeems(some, has) });
    await insertActors(store, [made.doc({ _id: has })]);
    for (const id of [bare, 'sub_missing']) await redeems(some, id);
    await checkRedemptions(deps());
    expect(await counted(some)).toEqual([3, 3]);
    now += HOUR_MS;
    await checkRedemptions(deps());
    expect(await counted(some)).toEqual([1, 1]);
    await expect(redeems(some, has)).rejects.toThrow('redeemed this coupon before');
  });
});
