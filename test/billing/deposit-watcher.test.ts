import { ARRIVALS_MAX, DepositWatcher } from '../../src/billing/deposits/deposit-watcher.ts';
import { buildCatalog } from '../../src/chains/catalog.ts';
import { NATIVE_COIN } from '../../src/chains/charges.ts';
import type { Arrival, DepositRead, DepositState, OtherMoney } from '../../src/chains/port.ts';
import { createChains } from '../../src/chains/registry.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { troublesInto } from '../../stage/recording-log.ts';
import { type ScriptedChain, SENDER, scriptedChain } from '../../stage/scripted-chain.ts';
import { until } from '../../stage/until.ts';
import { deferred } from '../engine/support/world.ts';
import { deposit } from '../store/support/documents.ts';

const NOW = new Date('2030-01-15T10:00:00.000Z');
const TOKEN = '0xtoken';

let chain: ScriptedChain;
let store: LedgerStore;
let logged: string[];
let reported: unknown[];
let watcher: DepositWatcher;

beforeEach(() => {
  chain = scriptedChain();
  store = openMemoryStore();
  logged = [];
  reported = [];
  watcher = new DepositWatcher({
    ledger: store.records,
    store,
    catalog: buildCatalog(),
    chains: createChains([chain]),
    clock: () => NOW,
    log: troublesInto(logged),
    engine: {
      dispatchMany: async (orders) => {
        reported.push(...orders);
        return [];
      },
    },
  });
});

async function opened(...ids: readonly string[]): Promise<void> {
  await store.records.insert(
    'deposits',
    ids.map((_id) => deposit({ _id, address: `0x${_id}`, token: TOKEN, due: '1000' })),
  );
}

/** Sets the chain's answer about every address: nothing has arrived, apart from `stateOf`, which may throw. */
function answerReads(stateOf: (read: DepositRead) => Partial<DepositState> | Promise<Partial<DepositState>>): void {
  const nothing = { arrivals: [], shallow: 0n, others: [], isCut: false };
  chain.readDeposits = (reads) =>
    Promise.all(reads.map(async (read) => ({ ...nothing, since: read.since, ...(await stateOf(read)) })));
}

function dust(from: number, count: number): Arrival[] {
  return Array.from({ length: count }, (_, at) => {
    const block = { number: 2, hash: '0xb2' };
    return { txHash: '0xdust', index: from + at, token: TOKEN, from: SENDER, amount: 1n, block };
  });
}

describe('a check of deposits', () => {
  it('stops asking a chain about an address with more transfers than it records', async () => {
    await opened('pay_dust');
    const rooms: number[] = [];
    answerReads(({ limit, found }) => {
      rooms.push(limit);
      return { arrivals: dust(found.length, Math.min(limit, 300)), isCut: true };
    });
    // An incomplete read decides nothing.
    expect(await watcher.survey(['pay_dust'])).toEqual(new Map([['pay_dust', null]]));
    const whole = new Map([['pay_dust', { arrived: '500', confirmed: '500', from: SENDER }]]);
    expect(await watcher.survey(['pay_dust'])).toEqual(whole);
    expect(await watcher.survey(['pay_dust'])).toEqual(whole);
    expect(rooms).toEqual([ARRIVALS_MAX, ARRIVALS_MAX - 300]);
    expect(logged).toEqual(['a deposit address has too many deposits; it is read no more']);
  });

  it('keeps unexplained money for staff, until an arrival explains it', async () => {
    await opened('pay_unread');
    const others = [{ token: TOKEN, amount: 7n, why: 'unread', block: 3 }] as const;
    answerReads(() => ({ others, isCut: true }));
    await watcher.check(['pay_unread']);
    const unread = { txHash: null, from: null, amount: '7', fate: 'held', held: 'unread' };
    const [before] = await store.records.get('deposits', ['pay_unread']);
    expect(before).toMatchObject({ arrivals: [unread], heldAt: NOW });
    // It may still pay, so the payment is not canceled.
    expect(reported.at(-1)).toMatchObject({ event: { found: { arrived: '7', confirmed: '0', from: null } } });
    answerReads(() => ({ arrivals: dust(0, 7) }));
    await watcher.check(['pay_unread']);
    const [after] = await store.records.get('deposits', ['pay_unread']);
    expect(after?.arrivals.map(({ txHash }) => txHash)).toEqual(Array.from({ length: 7 }, () => '0xdust'));
    expect(after?.heldAt).toBeNull();
    expect(reported.at(-1)).toMatchObject({ event: { found: { arrived: '7', confirmed: '7', from: SENDER } } });
  });

  /** The result of a check for money beside the arrivals. */
  async function heldAfter(state: Pick<DepositState, 'others' | 'otherTokens'>) {
    answerReads(() => state);
    await watcher.check(['pay_others']);
    const [doc] = await store.records.get('deposits', ['pay_others']);
    return doc?.arrivals.map(({ token, amount, held }) => ({ token, amount, held })) ?? [];
  }

  function strange(token: string, amount = 5n): OtherMoney {
    return { token, amount, why: 'not_in_catalog', block: 3 };
  }

  it('holds at most 20 tokens that anybody could have made, and other money beside them', async () => {
    await opened('pay_others');
    const made = Array.from({ length: 30 }, (_, at) => strange(`0x${at}`));
    expect(await heldAfter({ others: made })).toHaveLength(20);
    const unread: OtherMoney = { token: TOKEN, amount: 7n, why: 'unread', block: 3 };
    const all = await heldAfter({ others: [...made, strange(NATIVE_COIN.evm), unread] });
    expect(all).toHaveLength(22);
    expect(all).toContainEqual({ token: NATIVE_COIN.evm, amount: '5', held: 'not_in_catalog' });
    expect(all).toContainEqual({ token: TOKEN, amount: '7', held: 'unread' });
  });

  it('keeps other tokens if the chain does not list them, and drops those that it has read', async () => {
    await opened('pay_others');
    const unread: OtherMoney = { token: TOKEN, amount: 7n, why: 'unread', block: 3 };
    await heldAfter({ others: [strange('0x1'), unread] });
    const kept = { token: '0x1', amount: '5', held: 'not_in_catalog' };
    expect(await heldAfter({ others: [], otherTokens: 'unknown' })).toEqual([kept]);
    expect(await heldAfter({ others: [] })).toEqual([]);
  });

  it('gives the current reason for holding money', async () => {
    await opened('pay_others');
    await heldAfter({ others: [{ token: TOKEN, amount: 7n, why: 'unread', block: 3 }] });
    const now = { token: TOKEN, amount: '9', held: 'not_in_catalog' };
    expect(await heldAfter({ others: [strange(TOKEN, 9n)] })).toEqual([now]);
  });

  it("checks payments that another payment's failure does not concern", async () => {
    const ids = Array.from({ length: 30 }, (_, at) => `pay_${String(at).padStart(2, '0')}`);
    await opened(...ids);
    answerReads(({ address }) => {
      if (address === '0xpay_00') throw new Error('too much is there');
      return {};
    });
    const seen = await watcher.survey(ids);
    expect([seen.get('pay_00'), seen.get('pay_29')?.arrived]).toEqual([null, '0']);
  });
});

describe('checks of the same payments', () => {
  it('run one at a time per payment, and once more for all later callers', async () => {
    await opened('a', 'b', 'c');
    const read: string[][] = [];
    const gate = deferred<void>();
    const { readDeposits } = chain;
    chain.readDeposits = async (reads) => {
      read.push(reads.map(({ address }) => address));
      await gate.promise;
      return readDeposits(reads);
    };
    const first = watcher.check(['a', 'b']);
    await until(
      'two are read',
      () => read.length,
      (count) => count === 1,
    );
    const meanwhile = [watcher.check(['a']), watcher.check(['b', 'a', 'c']), watcher.check(['a'])];
    await until(
      'the third is read',
      () => read.length,
      (count) => count === 2,
    );
    expect(read).toEqual([['0xa', '0xb'], ['0xc']]);
    gate.resolve();
    await Promise.all([first, ...meanwhile]);
    expect(read).toEqual([['0xa', '0xb'], ['0xc'], ['0xa', '0xb']]);
  });
});
