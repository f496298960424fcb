import { changeAsSeen } from '../../src/chains/charges.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { at, charge } from '../store/support/documents.ts';

const BECOMING = { state: 'started', transactionId: 'txn_mine' } as const;

describe('equal changes of charges', () => {
  it('take as few writes as possible', async () => {
    const store = openMemoryStore();
    const docs = [
      ...Array.from({ length: 30 }, () => charge()),
      ...Array.from({ length: 20 }, () => charge({ notBefore: at(5) })),
    ];
    await store.records.insert('charges', docs);
    const before = store.roundTrips();
    const made = await changeAsSeen(store, docs, BECOMING);
    expect(store.roundTrips() - before).toBe(2);
    expect(made).toEqual(new Set(docs.map(({ _id }) => _id)));
    expect(await store.records.count('charges', BECOMING)).toBe(50);
  });

  it.each([
    ['taken by another', { state: 'started', transactionId: 'txn_other' }],
    ['put back into the queue', { notBefore: at(9) }],
    ['withdrawn', { state: 'withdrawn' }],
  ])('leave out charges that were %s since they were read', async (_what, set) => {
    const store = openMemoryStore();
    const docs = Array.from({ length: 10 }, () => charge());
    await store.records.insert('charges', docs);
    const touched = docs.slice(0, 3).map(({ _id }) => _id);
    await store.records.changeAlike('charges', touched, {}, { set });
    const made = await changeAsSeen(store, docs, BECOMING);
    expect(made).toEqual(new Set(docs.slice(3).map(({ _id }) => _id)));
    expect(await store.records.get('charges', touched)).toEqual(touched.map(() => expect.objectContaining(set)));
  });

  it('take no write for an empty list', async () => {
    expect(await changeAsSeen(openMemoryStore(), [], BECOMING)).toEqual(new Set());
  });
});
