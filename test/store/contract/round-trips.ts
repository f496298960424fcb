import type { Commit, LedgerStore } from '../../../src/store/port.ts';
import {
  actor,
  at,
  batchOf,
  charge,
  commitOf,
  effects,
  insertActors,
  ownPartition,
  unique,
} from '../support/documents.ts';

/** The number of calls of each operation, so that budgets also hold on the memory form. */
export function roundTripContract(open: () => LedgerStore): void {
  it('counts the calls of each operation like those of MongoDB', async () => {
    const store = open();
    const partition = ownPartition();
    const docs = Array.from({ length: 150 }, () => actor({ partition, wakeAt: at(1) }));
    const ids = docs.map(({ _id }) => _id);
    const charges = [charge(), charge(), charge()];
    const [first = actor()] = docs;
    const later = { ...first, rev: 2, wakeAt: null };
    const commit = (commits: readonly Commit[]) => store.actors.commit('subscription', batchOf(commits));
    const take = (where: { state: string }) =>
      charges.map(({ _id }) => ({ id: _id, where, change: { set: { state: 'started' } } }));
    const steps: readonly (readonly [name: string, calls: number, run: () => Promise<unknown>])[] = [
      // Timers, rows, heads (the first of each), and the outbox that names the heads: stored and removed.
      ['commits of new actors', 5, () => insertActors(store, docs)],
      // Heads, and the rows that they lack.
      ['load', 2, () => store.actors.load('subscription', ids)],
      ['load of nothing', 0, () => store.actors.load('subscription', [])],
      ['due', 3, () => store.actors.due({ kind: 'subscription', partitions: [partition], now: at(1), limit: 150 })],
      // The old timers are removed. No listed field changes, so no head is written.
      ['commit of many', 2, () => commit(docs.map((doc) => commitOf(doc, {}, { status: doc.status })))],
      // It also reads the rows that were there, and their operations.
      ['commit that loses', 2, () => commit(docs.map((doc) => commitOf(doc, {}, { status: doc.status })))],
      [
        'commit with effects',
        2,
        () => commit([commitOf(later, { effects: effects(first._id, 3, 1) }, { status: first.status })]),
      ],
      ['load with effects', 3, () => store.actors.load('subscription', [first._id])],
      // The outbox that names it is stored before and removed after.
      [
        'commit that changes a listed field',
        4,
        () => commit([commitOf({ ...later, rev: 3 }, {}, { status: 'other' })]),
      ],
      ['find', 2, () => store.actors.find('subscription', { where: { partition }, limit: 150 })],
      ['count', 1, () => store.actors.count('subscription', { partition })],
      ['insert of one', 1, () => store.records.insert('charges', charges.slice(0, 1))],
      ['insert with a conflict', 1, () => store.records.insert('charges', charges)],
      ['change', 1, () => store.records.change('charges', charges[0]?._id ?? '', {}, { set: { reason: 'x' } })],
      ['changeMany', 1, () => store.records.changeMany('charges', take({ state: 'waiting' }))],
      ['changeMany that loses', 1, () => store.records.changeMany('charges', take({ state: 'waiting' }))],
      [
        'changeAlike',
        1,
        () =>
          store.records.changeAlike(
            'charges',
            charges.map(({ _id }) => _id),
            {},
            { set: { reason: 'y' } },
          ),
      ],
      ['upsert that makes', 2, () => store.records.upsert('settings', partition.toString(), { value: 'a' }, {})],
      ['upsert that changes', 1, () => store.records.upsert('settings', partition.toString(), { value: 'a' }, {})],
      ['counter', 1, () => store.counters.add(unique('window'), 1, new Date(Date.now() + 60_000))],
      ['counter with parts', 1, () => store.counters.addPart(unique('window'), 1, 7, new Date(Date.now() + 60_000))],
      ['get with what is named', 1, () => store.records.getWith('apiKeys', ['a', 'b'], 'merchantId', 'merchants')],
    ];
    const counted: [string, number][] = [];
    for (const [name, , run] of steps) {
      const before = store.roundTrips();
      await run();
      counted.push([name, store.roundTrips() - before]);
    }
    expect(counted).toEqual(steps.map(([name, calls]) => [name, calls]));
  });

  it('answers a ping', async () => {
    expect(await open().ping()).toBe(true);
  });
}
