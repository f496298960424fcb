import { chainTiming } from '../../src/chains/context.ts';
import { Operators } from '../../src/chains/evm/logs/router-events.ts';
import { Routers } from '../../src/chains/evm/routers.ts';
import { WatchList } from '../../src/chains/logs/watch-list.ts';
import type { WatchDoc } from '../../src/store/collections.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerRecords, LedgerStore } from '../../src/store/port.ts';
import { merchantOf } from '../store/support/documents.ts';

const CHAIN = 31_337;
const ROUTER = `0x${'1'.repeat(40)}`;
const timing = chainTiming(1_000);
const AHEAD_MS = 3 * 3_600_000;
const AT = Date.parse('2026-01-31T10:30:00.000Z');

let store: LedgerStore;
beforeEach(() => {
  store = openMemoryStore();
});

function watchAt(index: number, createdAt: number): WatchDoc {
  const _id = `sub_${String(index).padStart(5, '0')}`;
  const place = { chainId: CHAIN, token: '0xtoken', operator: '0xoperator', wallet: `0x${index}` };
  const made = { _id, partition: 0, merchantId: 'mrc_1', mode: 'test' as const, ...place, lookAt: null, looks: 0 };
  return { ...made, createdAt: new Date(createdAt) };
}

/** The list over a store in which something happens after each page of so many watches. */
function listOf(
  behindPage: (page: number, length: number) => Promise<void>,
  clock: () => Date = () => new Date(AT),
): WatchList {
  let pages = 0;
  const find: LedgerRecords['find'] = async (from, query) => {
    const page = await store.records.find(from, query);
    pages += 1;
    await behindPage(pages, page.length);
    return page;
  };
  const records = { ...store.records, find };
  return new WatchList({ chainId: CHAIN, records, clock, timing });
}

describe('the list of watches', () => {
  it('misses no watch if others end or start while it is read', async () => {
    const watches = Array.from({ length: 2_500 }, (_, index) => watchAt(index, AT + index));
    await store.records.insert('watches', watches);
    const list = listOf(async (page) => {
      await store.records.remove('watches', [`sub_0000${page}`]);
      await store.records.change('watches', `sub_0010${page}`, {}, { set: { createdAt: new Date(AT + 9_000 + page) } });
    });
    await list.refresh();
    const found = new Set(list.wallets.keys());
    expect(watches.filter(({ wallet }) => !found.has(wallet))).toEqual([]);
  });

  it('has all watches that were made at the same moment', async () => {
    const watches = Array.from({ length: 2_500 }, (_, index) => watchAt(index, AT + (index < 2_200 ? 0 : index)));
    await store.records.insert('watches', watches);
    const list = listOf(async () => {});
    await list.refresh();
    expect(list.wallets.size).toBe(2_500);
  });

  it('reads a page at a time once it has all, and forgets deleted watches after the last one', async () => {
    const watches = Array.from({ length: 2_500 }, (_, index) => watchAt(index, AT - (2_500 - index) * 60_000));
    await store.records.insert('watches', watches);
    let read = 0;
    let now = AT;
    const count = async (_: number, length: number) => {
      read += length;
    };
    const list = listOf(count, () => new Date(now));
    await list.refresh();
    await store.records.remove('watches', ['sub_00007', 'sub_01500']);
    const costs: number[] = [];
    for (let pass = 0; pass < 3; pass += 1) {
      expect(list.wallets.size).toBe(2_500);
      [read, now] = [0, now + timing.watchesMs];
      await list.refresh();
      costs.push(read);
    }
    // The newest watch, and a page, which begins with the last watch of the one before it.
    expect(costs).toEqual([1_001, 1_001, 501]);
    expect([list.wallets.size, list.wallets.has('0x7'), list.wallets.has('0x8')]).toEqual([2_498, false, true]);
  });

  it('has a watch that is made after one from a clock that was ahead', async () => {
    const list = listOf(async () => {});
    for (const [index, aheadMs] of [AHEAD_MS, 0].entries()) {
      await store.records.insert('watches', [watchAt(index, AT + aheadMs)]);
      await list.refresh();
    }
    expect(new Set(list.wallets.keys())).toEqual(new Set(['0x0', '0x1']));
  });
});

it('the operators include those of a merchant that is made after one from a clock that was ahead', async () => {
  const routers = new Routers(CHAIN, [ROUTER]);
  const ctx = { records: store.records, routers, clock: () => new Date(AT) };
  const operators = new Operators(ctx, 'test');
  for (const [index, aheadMs] of [AHEAD_MS, 0].entries()) {
    await store.records.insert('merchants', [merchantOf(`mrc_${index}`, { createdAt: new Date(AT + aheadMs) })]);
    await operators.refresh();
  }
  expect(operators.all.size).toBe(4);
});
