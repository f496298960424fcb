import type { EffectOf } from '../../machines/effects.ts';
import { unitHolder } from '../../machines/subscription/effects.ts';
import { countUnits, freeUnits, takeUnits, unitsLeft } from '../../src/billing/offers/units.ts';
import type { EffectItem } from '../../src/engine/types.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/port.ts';
import { offer as offerOf } from '../store/support/documents.ts';

const FIRST = unitHolder('sub_1', 1, 1);
const AGAIN = unitHolder('sub_1', 1, 2);

describe('the units of an offer', () => {
  let store: Store;
  let offerId: string;

  beforeEach(async () => {
    store = openMemoryStore();
    const offer = offerOf({ availableQuantity: 2, redeemedCount: 0, holds: [] });
    offerId = offer._id;
    await store.records.insert('offers', [offer]);
  });

  it('are taken once per holder, and never more than there are', async () => {
    const other = unitHolder('sub_2', 1, 1);
    expect(await takeUnits(store, offerId, [FIRST, other, unitHolder('sub_3', 1, 1)])).toEqual(new Set([FIRST, other]));
    expect(await takeUnits(store, offerId, [FIRST])).toEqual(new Set([FIRST]));
    expect(await left()).toBe(0);
  });

  it('are taken exactly as many times as there are when many want them at once', async () => {
    const holders = Array.from({ length: 20 }, (_, index) => unitHolder(`sub_${index}`, 1, 1));
    const answers = await Promise.all(holders.map((holder) => takeUnits(store, offerId, [holder])));
    expect(answers.filter((granted) => granted.size === 1)).toHaveLength(2);
  });

  it('are redeemed once, whichever attempt held them', async () => {
    await takeUnits(store, offerId, [AGAIN]);
    await countUnits(store)([item({ type: 'unit.count', offerId, holder: 'sub_1' })]);
    await countUnits(store)([item({ type: 'unit.count', offerId, holder: 'sub_1' })]);
    expect(await read()).toMatchObject({ redeemedCount: 1, holds: [] });
  });

  it('are counted once for a charge that lands after its unit was freed, also where none is left or another attempt holds one', async () => {
    const late = { type: 'unit.count', offerId, holder: 'sub_1', isLate: true } as const;
    await takeUnits(store, offerId, [unitHolder('sub_2', 1, 1), unitHolder('sub_3', 1, 1)]);
    await countUnits(store)([item(late), item(late)]);
    await countUnits(store)([item(late)]);
    expect(await read()).toMatchObject({ redeemedCount: 1, holds: ['sub_2:1.1', 'sub_3:1.1'] });
    await freeUnits(store)([item({ type: 'unit.free', offerId, holder: unitHolder('sub_2', 1, 1) })]);
    await store.records.change('offers', offerId, {}, { set: { availableQuantity: 9 } });
    await takeUnits(store, offerId, [unitHolder('sub_4', 1, 2)]);
    await countUnits(store)([item({ ...late, holder: 'sub_4' })]);
    await countUnits(store)([item({ ...late, holder: 'sub_4' }), item({ ...late, holder: 'sub_5' })]);
    expect(await read()).toMatchObject({ redeemedCount: 3, holds: [unitHolder('sub_3', 1, 1)] });
  });

  it('are freed by the attempt that held them, and by no earlier one that is told late', async () => {
    await takeUnits(store, offerId, [FIRST]);
    await freeUnits(store)([item({ type: 'unit.free', offerId, holder: FIRST })]);
    expect(await left()).toBe(2);
    await takeUnits(store, offerId, [AGAIN]);
    await freeUnits(store)([item({ type: 'unit.free', offerId, holder: FIRST })]);
    expect(await read()).toMatchObject({ holds: [AGAIN] });
  });

  it('of a subscription are not those of another whose id begins alike', async () => {
    await takeUnits(store, offerId, [unitHolder('sub_10', 1, 1)]);
    await countUnits(store)([item({ type: 'unit.count', offerId, holder: 'sub_1' })]);
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

function item<E extends EffectOf<'unit.count' | 'unit.free'>>(effect: E): EffectItem<E> {
  const source = { collection: 'subscription', id: 'sub_1', merchantId: 'mrc_1', mode: 'test' } as const;
  return { id: 'sub_1:1:1', mark: [1, 1], at: new Date(0), sequence: null, source, effect };
}
