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

  /** The attempts for which a unit stays reserved after a pass, of those that hold one of this subscription. */
  async function leftOf(made: TestSubscription, attempts: readonly string[], more: object = {}): Promise<string[]> {
    const id = unique('sub');
    await insertActors(store, [made.doc({ _id: id, ...more })]);
    const holds = attempts.map((attempt) => `${id}:${attempt}`);
    const offer = offerOf({ availableQuantity: 9, redeemedCount: 0, holds });
    await store.records.insert('offers', [offer]);
    await new ExpiredReservations(store).sweep();
    const [after] = await store.records.get('offers', [offer._id]);
    return (after?.holds ?? []).map((holder) => holder.replace(`${id}:`, ''));
  }

  it.each([
    ['are released when the subscription has ended', new TestSubscription().goes(CANCEL), ['1.1'], []],
    ['are released then, whatever they were for', dunned().goes(CANCEL), ['1.1', '1.2'], []],
    ['are released if they belong to an earlier attempt', dunned().goes(RETRY), ['1.1', '1.2'], ['1.2']],
    ['are released when the first charge has been paid and redeemed', active(), ['1.2'], []],
    ['stay with an attempt that is in flight', charging(), ['1.1'], ['1.1']],
    ['stay with an attempt that is followed to its end', charging().goes(CANCEL), ['1.1'], ['1.1']],
    ['stay with an attempt that may be opened next', dunned(), ['1.2'], ['1.2']],
    ['stay for the first attempt', new TestSubscription(), ['1.1'], ['1.1']],
  ])('%s', async (_, made, attempts, left) => {
    expect(await leftOf(made, attempts)).toEqual(left);
  });

  it('stay while effects that may redeem them have not run, and while their holder is in quarantine', async () => {
    const item = { id: 'x:1:0', rev: 1, index: 0, at: new Date(0), sequence: null, effect: { type: 'unit.count' } };
    expect(await leftOf(active(), ['1.1'], { outbox: [item] })).toEqual(['1.1']);
    const quarantine = { at: new Date(0), reason: 'test' };
    expect(await leftOf(new TestSubscription().goes(CANCEL), ['1.1'], { quarantine })).toEqual(['1.1']);
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
    const ended = new TestSubscription().goes(CANCEL);
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
