import { describe, expect, it } from '@jest/globals';
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
  return {
    store,
    stored: store.records.insert('charges', docs),
    window: new WaitingWindow(ctx, { index: 0, count: 1 }),
  };
}

describe('charges that wait for a lane', () => {
  it('are taken from the merchants in turns, from each the longest waiting first', () => {
    const [many, few, one] = [waiting(6, 'a'), waiting(2, 'b', 3), waiting(1, 'c', 5)];
    const { taken, left } = inTurns([...many, ...few, ...one], 6);
    expect(taken).toEqual([many[0], few[0], one[0], many[1], few[1], many[2]]);
    expect(left).toEqual(many.slice(3));
  });

  it('are taken as far as there are any', () => {
    const docs = waiting(3, 'a');
    expect(inTurns(docs, 10)).toEqual({ taken: docs, left: [] });
    expect(inTurns([], 10)).toEqual({ taken: [], left: [] });
  });

  it('are read once for several transactions, and given once', async () => {
    const { store, stored, window } = opened(waiting(120, 'a'));
    await stored;
    const before = store.roundTrips();
    const given = [...(await window.take([TOKEN], 50)), ...(await window.take([TOKEN], 50))];
    expect(store.roundTrips() - before).toBe(1);
    expect(new Set(given.map(({ _id }) => _id)).size).toBe(100);
    expect(given.map(({ notBefore }) => notBefore)).toEqual(given.map((_, index) => at(index)));
  });

  it('are given first next time when they have been put back', async () => {
    const { stored, window } = opened(waiting(120, 'a'));
    await stored;
    const given = await window.take([TOKEN], 50);
    window.putBack(given.slice(30));
    const again = await window.take([TOKEN], 50);
    expect(again.map(({ notBefore }) => notBefore)).toEqual(again.map((_, index) => at(30 + index)));
  });

  it('are read again when too few are left, or what was read is not to be trusted', async () => {
    const { store, stored, window } = opened(waiting(120, 'a'));
    await stored;
    await window.take([TOKEN], 80);
    expect(await window.take([TOKEN], 80)).toHaveLength(80);
    expect(await window.take([TOKEN], 20)).toHaveLength(20);
    const before = store.roundTrips();
    window.clear();
    await window.take([TOKEN], 20);
    expect(store.roundTrips() - before).toBe(1);
  });
});
