import { reservationHolder } from '../../machines/subscription/effects.ts';
import { ExpiredReservations } from '../../src/billing/offers/expired-reservations.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/port.ts';
import { active, CANCEL, charging, dunned, RETRY, TestSubscription } from '../machines/support/subscription.ts';
import { actor, insertActors, offer as offerOf, unique } from '../store/support/documents.ts';

describe('reservations that nobody will use', () => {
  let store: Store;

  beforeEach(() => {
    store = openMemoryStore();
  });

  /** The units that stay reserved for a subscription in this state after a pass. */
  async function leftOf(
    made: TestSubscription,
    held: readonly [number, number][],
    more: object = {},
  ): Promise<string[]> {
    const id = unique('sub');
    await insertActors(store, [made.doc({ _id: id, ...more })]);
    const holds = held.map(([cycle, attempt]) => reservationHolder(id, cycle, attempt));
    const offer = offerOf({ availableQuantity: 9, redeemedCount: 0, holds });
    await store.records.insert('offers', [offer]);
    await new ExpiredReservations(store).sweep();
    const [after] = await store.records.get('offers', [offer._id]);
    return (after?.holds ?? []).map((holder) => holder.replace(`${id}:`, ''));
  }

  function over(of: TestSubscription): TestSubscription {
    of.send(CANCEL);
    return of;
  }

  it('are released when the subscription has ended, whatever they were for', async () => {
    expect(await leftOf(over(new TestSubscription()), [[1, 1]])).toEqual([]);
    expect(
      await leftOf(over(dunned()), [
        [1, 1],
        [1, 2],
      ]),
    ).toEqual([]);
  });

  it('are released if they belong to an earlier attempt', async () => {
    const retrying = dunned();
    retrying.send(RETRY);
    expect(
      await leftOf(retrying, [
        [1, 1],
        [1, 2],
      ]),
    ).toEqual(['1.2']);
  });

  it('are released when the first charge has been paid and redeemed', async () => {
    expect(await leftOf(active(), [[1, 2]])).toEqual([]);
  });

  it('stay with an attempt that is in flight, is followed to its end, or may be opened next', async () => {
    expect(await leftOf(charging(), [[1, 1]])).toEqual(['1.1']);
    expect(await leftOf(over(charging()), [[1, 1]])).toEqual(['1.1']);
    expect(await leftOf(dunned(), [[1, 2]])).toEqual(['1.2']);
    expect(await leftOf(new TestSubscription(), [[1, 1]])).toEqual(['1.1']);
  });

  it('stay while effects that may redeem them have not run, and while their holder is in quarantine', async () => {
    const item = { id: 'x:1:0', rev: 1, index: 0, at: new Date(0), sequence: null, effect: { type: 'unit.count' } };
    expect(await leftOf(active(), [[1, 1]], { outbox: [item] })).toEqual(['1.1']);
    const quarantine = { at: new Date(0), reason: 'test' };
    expect(await leftOf(over(new TestSubscription()), [[1, 1]], { quarantine })).toEqual(['1.1']);
  });

  it.each([
    ['settled', []],
    ['failed', []],
    ['canceled', []],
    ['pending', ['pay_one']],
    ['pulled', ['pay_one']],
  ] as const)('of a payment that is %s: %j are left', async (status, left) => {
    await insertActors(store, [actor({ _id: 'pay_one', kind: 'payment', status })]);
    const offer = offerOf({ availableQuantity: 1, holds: ['pay_one'] });
    await store.records.insert('offers', [offer]);
    await new ExpiredReservations(store).sweep();
    expect((await store.records.get('offers', [offer._id]))[0]?.holds).toEqual(left);
  });

  it('stay when their holder is unknown', async () => {
    const offer = offerOf({ holds: ['pay_1', 'sub_unknown:1.1'] });
    await store.records.insert('offers', [offer]);
    expect(await new ExpiredReservations(store).sweep()).toBe(0);
    expect((await store.records.get('offers', [offer._id]))[0]?.holds).toEqual(['pay_1', 'sub_unknown:1.1']);
  });

  it('are found however many offers there are, a bounded number in each pass', async () => {
    const ended = over(new TestSubscription());
    const ids = Array.from({ length: 250 }, (_, index) => `sub_${index}`);
    await insertActors(
      store,
      ids.map((_id) => ended.doc({ _id })),
    );
    const held = ids.map((id) => offerOf({ holds: [reservationHolder(id, 1, 1)] }));
    await store.records.insert('offers', [...held, offerOf({ holds: [] })]);
    const units = new ExpiredReservations(store);
    expect([await units.sweep(), await units.sweep(), await units.sweep()]).toEqual([100, 100, 50]);
  });
});
