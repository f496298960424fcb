import { reservationHolder } from '../../machines/subscription/effects.ts';
import { redeemReservations, releaseReservations, reserveUnits } from '../../src/billing/offers/inventory.ts';
import { unitsLeft } from '../../src/model/offer.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/port.ts';
import { offer as offerOf } from '../store/support/documents.ts';
import { effectItem } from './support/effect-item.ts';

const FIRST = reservationHolder('sub_1', 1, 1);
const AGAIN = reservationHolder('sub_1', 1, 2);

describe('the units of an offer', () => {
  let store: Store;
  let offerId: string;

  beforeEach(async () => {
    store = openMemoryStore();
    const offer = offerOf({ availableQuantity: 2, redeemedCount: 0, holds: [] });
    offerId = offer._id;
    await store.records.insert('offers', [offer]);
  });

  it('are reserved once per holder, and never more than exist', async () => {
    const other = reservationHolder('sub_2', 1, 1);
    expect(await reserveUnits(store, offerId, [FIRST, other, reservationHolder('sub_3', 1, 1)])).toEqual(
      new Set([FIRST, other]),
    );
    expect(await reserveUnits(store, offerId, [FIRST])).toEqual(new Set([FIRST]));
    expect(await left()).toBe(0);
  });

  it('are reserved exactly as often as they exist, for many simultaneous callers', async () => {
    const holders = Array.from({ length: 20 }, (_, index) => reservationHolder(`sub_${index}`, 1, 1));
    const answers = await Promise.all(holders.map((holder) => reserveUnits(store, offerId, [holder])));
    expect(answers.filter((granted) => granted.size === 1)).toHaveLength(2);
  });

  it('are redeemed once, whichever attempt reserved them', async () => {
    await reserveUnits(store, offerId, [AGAIN]);
    await redeemReservations(store)([effectItem({ type: 'unit.count', offerId, holder: 'sub_1' })]);
    await redeemReservations(store)([effectItem({ type: 'unit.count', offerId, holder: 'sub_1' })]);
    expect(await read()).toMatchObject({ redeemedCount: 1, holds: [] });
  });

  it('are redeemed once for a charge that lands after its reservation was released, also when none is left or another attempt reserved one', async () => {
    const late = { type: 'unit.count', offerId, holder: 'sub_1', isLate: true } as const;
    await reserveUnits(store, offerId, [reservationHolder('sub_2', 1, 1), reservationHolder('sub_3', 1, 1)]);
    await redeemReservations(store)([effectItem(late), effectItem(late)]);
    await redeemReservations(store)([effectItem(late)]);
    expect(await read()).toMatchObject({ redeemedCount: 1, holds: ['sub_2:1.1', 'sub_3:1.1'] });
    await releaseReservations(store)([
      effectItem({ type: 'unit.free', offerId, holder: reservationHolder('sub_2', 1, 1) }),
    ]);
    await store.records.change('offers', offerId, {}, { set: { availableQuantity: 9 } });
    await reserveUnits(store, offerId, [reservationHolder('sub_4', 1, 2)]);
    await redeemReservations(store)([effectItem({ ...late, holder: 'sub_4' })]);
    await redeemReservations(store)([
      effectItem({ ...late, holder: 'sub_4' }),
      effectItem({ ...late, holder: 'sub_5' }),
    ]);
    expect(await read()).toMatchObject({ redeemedCount: 3, holds: [reservationHolder('sub_3', 1, 1)] });
  });

  it('are redeemed late for any number of holders, of which the offer remembers the last thousand', async () => {
    const late = Array.from({ length: 1_200 }, (_, index) =>
      effectItem({ type: 'unit.count', offerId, holder: `sub_${index}`, isLate: true }),
    );
    for (const part of [late.slice(0, 700), late.slice(700), late.slice(700)]) await redeemReservations(store)(part);
    const { redeemedCount, redeemedLate = [] } = await read();
    expect([redeemedCount, redeemedLate.length, redeemedLate[0]]).toEqual([1_200, 1_000, 'sub_200']);
  });

  it('are released by the attempt that reserved them, and by no late effect of an earlier one', async () => {
    await reserveUnits(store, offerId, [FIRST]);
    await releaseReservations(store)([effectItem({ type: 'unit.free', offerId, holder: FIRST })]);
    expect(await left()).toBe(2);
    await reserveUnits(store, offerId, [AGAIN]);
    await releaseReservations(store)([effectItem({ type: 'unit.free', offerId, holder: FIRST })]);
    expect(await read()).toMatchObject({ holds: [AGAIN] });
  });

  it('of one subscription are not released for another with a similar id', async () => {
    await reserveUnits(store, offerId, [reservationHolder('sub_10', 1, 1)]);
    await redeemReservations(store)([effectItem({ type: 'unit.count', offerId, holder: 'sub_1' })]);
    expect(await read()).toMatchObject({ redeemedCount: 0 });
  });

  async function read() {
    const [offer] = await store.records.get('offers', [offerId]);
    if (!offer) throw new Error('the offer is gone');
    return offer;
  }

  async function left(): Promise<number | null> {
    return unitsLeft(await read());
  }
});
