import { inTurns, WaitingWindow } from '../../src/chains/sender/window.ts';
import type { ChargeDoc } from '../../src/store/collections.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { at, charge } from '../store/support/documents.ts';

const CHAIN = 31_337;
const TOKEN = '0x1';

function waiting(count: number, merchantId: string, from = 0): ChargeDoc[] {
  return Array.from({ length: count }, (_, index) =>
    charge({ merchantId, chainId: CHAIN, token: TOKEN, notBefore: at(from + index) }),
  );
}

function opened(docs: readonly ChargeDoc[]) {
  const store = openMemoryStore();
  const ctx = { chainId: CHAIN, records: store.records, clock: () => at(1_000_000) };
  const shared = new WaitingWindow(ctx);
  return {
    store,
    stored: store.records.insert('charges', docs),
    window: shared.forQueue({ index: 0, count: 1 }),
    queues: [0, 1].map((index) => shared.forQueue({ index, count: 2 })),
  };
}

describe('charges that wait for a signing queue', () => {
  it('are taken from merchants in turn, the longest waiting first', () => {
    const [many, few, one] = [waiting(6, 'a'), waiting(2, 'b', 3), waiting(1, 'c', 5)];
    const taken = inTurns([...many, ...few, ...one], 6);
    expect(taken).toEqual([many[0], few[0], one[0], many[1], few[1], many[2]]);
  });

  it('are taken as far as there are any', () => {
    const docs = waiting(3, 'a');
    expect(inTurns(docs, 10)).toEqual(docs);
    expect(inTurns([], 10)).toEqual([]);
    expect(inTurns(docs, 0)).toEqual([]);
  });

  it('are read once for several transactions, and given out once', async () => {
    const { store, stored, window } = opened(waiting(120, 'a'));
    await stored;
    const before = store.roundTrips();
    const given = [...(await window.take([TOKEN], 50)), ...(await window.take([TOKEN], 50))];
    expect(store.roundTrips() - before).toBe(1);
    expect(new Set(given.map(({ _id }) => _id)).size).toBe(100);
    expect(given.map(({ notBefore }) => notBefore)).toEqual(given.map((_, index) => at(index)));
  });

  it('are given out first after they were put back', async () => {
    const { stored, window } = opened(waiting(120, 'a'));
    await stored;
    const given = await window.take([TOKEN], 50);
    window.putBack(given.slice(30));
    const again = await window.take([TOKEN], 50);
    expect(again.map(({ notBefore }) => notBefore)).toEqual(again.map((_, index) => at(30 + index)));
  });

  it('are read again if too few are left, or if the last read is not reliable', async () => {
    const { store, stored, window } = opened(waiting(120, 'a'));
    await stored;
    await window.take([TOKEN], 80);
    expect(await window.take([TOKEN], 80)).toHaveLength(80);
    expect(await window.take([TOKEN], 20)).toHaveLength(20);
    const before = store.roundTrips();
    window.failed();
    await window.take([TOKEN], 20);
    expect(store.roundTrips() - before).toBe(1);
  });

  it('are read once for all queues of a process, and given to one of them', async () => {
    const { store, stored, queues } = opened(waiting(400, 'a'));
    await stored;
    const given: string[] = [];
    let reads = 0;
    for (let turn = 0; turn < 8; turn += 1) {
      const before = store.roundTrips();
      const taken = (await queues[turn % 2]?.take([TOKEN], 50)) ?? [];
      reads += store.roundTrips() - before;
      given.push(...taken.map(({ _id }) => _id));
      // A signing queue does this before it asks again.
      await store.records.changeMany(
        'charges',
        taken.map(({ _id }) => ({ id: _id, where: {}, change: { set: { state: 'started' } } })),
      );
    }
    expect(given).toHaveLength(400);
    expect(new Set(given).size).toBe(400);
    expect(reads).toBeLessThanOrEqual(3);
  });

  it('are not given to a signing queue while another has them, whatever is read', async () => {
    const { stored, queues } = opened(waiting(40, 'a'));
    await stored;
    const [one, other] = queues;
    // More than its share, so it gets those that the other did not take.
    const first = await one?.take([TOKEN], 30);
    const second = await other?.take([TOKEN], 30);
    expect(first).toHaveLength(30);
    expect(second).toHaveLength(10);
    const both = await Promise.all(queues.map((queue) => queue.take([TOKEN], 40)));
    expect(new Set(both.flat()).size).toBe(both.flat().length);
    expect(both.flat()).toHaveLength(40);
  });

  it('are still there when another signing queue reads again after one put them back', async () => {
    const { stored, queues } = opened(waiting(40, 'a'));
    await stored;
    const [one, other] = queues;
    const given = (await one?.take([TOKEN], 10)) ?? [];
    one?.putBack(given.slice(5));
    // It reads for both.
    other?.failed();
    await other?.take([TOKEN], 1);
    expect(await one?.take([TOKEN], 1)).toEqual(given.slice(5, 6));
  });

  it('are given to another signing queue if theirs fails, even if it asks no more', async () => {
    const { stored, queues } = opened(waiting(40, 'a'));
    await stored;
    const [one, other] = queues;
    await one?.take([TOKEN], 30);
    one?.failed();
    expect(await other?.take([TOKEN], 40)).toHaveLength(40);
  });
});
