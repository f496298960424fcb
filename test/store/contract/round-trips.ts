import type { LedgerStore } from '../../../src/store/port.ts';
import { actor, at, charge, commitOf, effects, ownPartition, unique } from '../support/documents.ts';

/** The number of calls of each operation, so that budgets also hold on the memory form. */
export function roundTripContract(open: () => LedgerStore): void {
  it('counts the calls of each operation like those of MongoDB', async () => {
    const store = open();
    const partition = ownPartition();
    const docs = Array.from({ length: 150 }, () => actor({ partition, wakeAt: at(1) }));
    const ids = docs.map(({ _id }) => _id);
    const charges = [charge(), charge(), charge()];
    const [first, second] = docs;
    if (first === undefined || second === undefined) throw new Error('no documents');
    const take = (where: { state: string }) =>
      charges.map(({ _id }) => ({ id: _id, where, change: { set: { state: 'started' } } }));
    const steps: readonly (readonly [name: string, calls: number, run: () => Promise<unknown>])[] = [
      ['insert', 1, () => store.actors.insert('subscription', docs)],
      ['load', 1, () => store.actors.load('subscription', ids)],
      ['load of nothing', 0, () => store.actors.load('subscription', [])],
      ['due', 1, () => store.actors.due('subscription', [partition], at(1), 150)],
      [
        'commit of many',
        1,
        () =>
          store.actors.commit(
            'subscription',
            docs.map((doc) => commitOf(doc)),
          ),
      ],
      [
        'commit that loses',
        2,
        () =>
          store.actors.commit(
            'subscription',
            docs.map((doc) => commitOf(doc)),
          ),
      ],
      [
        'commit of one',
        1,
        () =>
          store.actors.commit('subscription', [commitOf({ ...first, rev: 2 }, { effects: effects(first._id, 3, 1) })]),
      ],
      ['commit of one that loses', 2, () => store.actors.commit('subscription', [commitOf(second)])],
      ['unrelayed', 1, () => store.outboxes.unrelayed('subscription', [partition], at(1), 150)],
      ['ack', 1, () => store.outboxes.ack('subscription', [{ id: first._id, effectIds: [`${first._id}:3:0`] }])],
      ['ack of nothing', 0, () => store.outboxes.ack('subscription', [])],
      ['find', 1, () => store.actors.find('subscription', { where: { partition }, limit: 150 })],
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
