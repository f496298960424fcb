import { addDays } from '../../machines/rules/period.ts';
import type { Terms } from '../../machines/subscription/context.ts';
import { MACHINES } from '../../machines/versions.ts';
import { AllowanceWatcher } from '../../src/billing/allowances/allowance-watcher.ts';
import { allowanceWatchId, watchId } from '../../src/billing/allowances/watching.ts';
import { buildCatalog } from '../../src/chains/catalog.ts';
import { OPEN } from '../../src/chains/consent.ts';
import type { AllowanceRead, AllowanceState, Chain } from '../../src/chains/port.ts';
import { createChains } from '../../src/chains/registry.ts';
import { projectionOf } from '../../src/engine/projection.ts';
import type { Dispatch } from '../../src/engine/types.ts';
import type { StoredActor } from '../../src/store/documents.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/port.ts';
import { recordingLog } from '../../stage/recording-log.ts';
import { quietChain } from '../../stage/scripted-chain.ts';
import { deferred } from '../engine/support/world.ts';
import { COVERED, MONTHLY, START, TestSubscription } from '../machines/support/subscription.ts';
import { actor } from '../store/support/documents.ts';

const BASE = 84_532;
const SEPOLIA = 11_155_111;
const W1 = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const W2 = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

/** A chain with the allowances and balances of a test: units of 10^6, by wallet. */
interface PlayedChain extends Chain {
  readonly means: Map<string, { allowance: number; balance: number }>;
  block: number;
  /** All reads in order; a test may delay an answer. */
  readonly reads: (readonly AllowanceRead[])[];
  answer: (states: AllowanceState[]) => Promise<AllowanceState[]>;
}

function played(chainId: number): PlayedChain {
  const chain: PlayedChain = {
    means: new Map(),
    block: 1,
    reads: [],
    answer: async (states) => states,
    ...quietChain(chainId),
    operatorFor: () => '0xoperator',
    readAllowances: async (reads) => {
      chain.reads.push(reads);
      return chain.answer(
        reads.map(({ wallet }) => {
          const { allowance, balance } = chain.means.get(wallet) ?? { allowance: 0, balance: 0 };
          return { allowance: BigInt(allowance) * MILLION, balance: BigInt(balance) * MILLION, block: chain.block };
        }),
      );
    },
  };
  return chain;
}

const MILLION = 1_000_000n;

function termsOf(amount: number, more: Partial<Terms> = {}): Terms {
  const of = { ...MONTHLY, tokenKey: 'usdc-base-sepolia', chainId: BASE, amount: String(amount * 1_000_000) };
  return { ...of, priceId: `price_${amount}`, ...more };
}

let store: Store;
let base: PlayedChain;
let sepolia: PlayedChain;
let reported: Dispatch[];
let watcher: AllowanceWatcher;
let now: Date;

function watcherOf(chains: readonly PlayedChain[]): AllowanceWatcher {
  return new AllowanceWatcher({
    store,
    catalog: buildCatalog(),
    chains: createChains(chains),
    clock: () => now,
    log: recordingLog().log,
    engine: {
      dispatchMany: async (requests) => {
        reported.push(...requests);
        return [];
      },
    },
    checkSessions: async () => {},
    checkDeposits: async () => {},
  });
}

beforeEach(() => {
  store = openMemoryStore();
  base = played(BASE);
  sepolia = played(SEPOLIA);
  reported = [];
  now = new Date(addDays(START, 10));
  watcher = watcherOf([base, sepolia]);
});

/** A subscription with this monthly amount, authorized so many days after the start. */
function paying(amount: number, day: number, payerWallet: string | null = W1): TestSubscription {
  const made = new TestSubscription({ terms: termsOf(amount), payerWallet });
  made.at(addDays(START, day)).send(COVERED);
  made.falls();
  made.settles();
  return made;
}

async function keep(id: string, { state }: TestSubscription): Promise<void> {
  const { version: machineVersion } = MACHINES.subscription.current;
  const doc: StoredActor = actor({ _id: id, merchantId: 'mrc_1', machineVersion, ...state, ...projectionOf(state) });
  await store.actors.insert('subscription', [doc]);
}

function asked(made: TestSubscription, terms: Terms, wallet: string | null = null): TestSubscription {
  made.send({ type: 'migration.requested', terms, expiresAt: addDays(START, 40) });
  if (wallet !== null) made.send({ type: 'migration.signed', wallet });
  return made;
}

/** The events that each subscription got, in order. */
function sayings(id: string): string[] {
  return reported
    .filter((each) => each.id === id)
    .map(({ event }) => {
      if (event.type === 'migration.seen') return `migration ${event.covers}`;
      if (event.type !== 'allowance.seen' && event.type !== 'risk.seen') throw new Error(event.type);
      return `${event.type.replace('.seen', '')} ${event.covers} ${event.payable}`;
    });
}

describe('the cover of one allowance', () => {
  it('reserves for earlier authorizations, but not for terms that would be replaced', async () => {
    await keep('sub_a', asked(paying(5, 0), termsOf(8)));
    await keep('sub_b', paying(10, 1));
    base.means.set(W1, { allowance: 17, balance: 100 });
    await watcher.check(['sub_a']);
    expect(sayings('sub_a')).toEqual(['migration false', 'allowance true true']);
    base.means.set(W1, { allowance: 18, balance: 100 });
    await watcher.check(['sub_a']);
    expect(sayings('sub_a').slice(2)).toEqual(['migration true', 'allowance true true']);
    expect(sayings('sub_b')).toEqual(['allowance true true', 'allowance true true']);
  });

  it('reserves for the open cycle, which keeps its amount', async () => {
    const late = paying(5, 0);
    late.falls();
    late.fails();
    await keep('sub_a', asked(late, termsOf(8), W1));
    base.means.set(W1, { allowance: 12, balance: 100 });
    await watcher.check(['sub_a']);
    base.means.set(W1, { allowance: 13, balance: 100 });
    await watcher.check(['sub_a']);
    expect(sayings('sub_a')).toEqual([
      'migration false',
      'allowance true true',
      'migration true',
      'allowance true true',
    ]);
  });

  it('reserves for terms that will bill this wallet from a boundary on', async () => {
    const moving = asked(paying(5, 0, W1), termsOf(8), W2);
    moving.send({ type: 'migration.seen', covers: true });
    await keep('sub_a', moving);
    const [doc] = await store.actors.load('subscription', ['sub_a']);
    if (!doc) throw new Error('nothing is stored');
    await watcher.watch(doc, 'migration');
    await keep('sub_b', paying(10, 1, W2));
    base.means.set(W2, { allowance: 17, balance: 100 });
    await watcher.check(['sub_b']);
    base.means.set(W2, { allowance: 18, balance: 100 });
    await watcher.check(['sub_b']);
    expect(sayings('sub_b')).toEqual(['allowance false false', 'allowance true true']);
    expect(new Set(sayings('sub_a'))).toEqual(new Set(['migration true', 'allowance true true']));
    expect(base.reads.at(-1)).toEqual([expect.objectContaining({ wallet: W2 })]);
  });

  it('is read from the signing wallet on the chain of the new terms, and from the present wallet until then', async () => {
    const elsewhere = termsOf(8, { tokenKey: 'usdc-sepolia', chainId: SEPOLIA });
    await keep('sub_a', asked(paying(5, 0), elsewhere));
    await keep('sub_b', asked(paying(6, 0), elsewhere, W2));
    sepolia.means.set(W1, { allowance: 8, balance: 100 });
    sepolia.means.set(W2, { allowance: 8, balance: 0 });
    base.means.set(W1, { allowance: 11, balance: 100 });
    await watcher.check(['sub_a']);
    expect(new Set(sayings('sub_a'))).toEqual(new Set(['migration true', 'allowance true true']));
    await watcher.check(['sub_b']);
    expect(sayings('sub_b')).toContain('migration true');
    expect(sayings('sub_b')).toContain('allowance true false');
    const [first] = reported.filter(({ event }) => event.type === 'migration.seen');
    expect(first?.event).toMatchObject({
      reading: { priceId: 'price_8', tokenKey: 'usdc-sepolia', wallet: W1, chainId: SEPOLIA, block: 1 },
    });
  });

  it('reserves from a balance for charges that are due earlier, in whatever order they were authorized', async () => {
    await keep('sub_a', paying(5, 5));
    await keep('sub_b', paying(6, 2));
    await keep('sub_c', paying(7, 8));
    base.means.set(W1, { allowance: 100, balance: 11 });
    await watcher.check(['sub_a']);
    expect([sayings('sub_b'), sayings('sub_a'), sayings('sub_c')]).toEqual([
      ['allowance true true'],
      ['allowance true true'],
      ['allowance true false'],
    ]);
  });

  it('gives a past due charge the whole balance while others are not due yet', async () => {
    const late = paying(5, 5);
    late.falls();
    late.fails('insufficient_balance');
    await keep('sub_a', late);
    const ahead = paying(9, 0);
    ahead.isAsked();
    ahead.settles();
    await keep('sub_b', ahead);
    base.means.set(W1, { allowance: 100, balance: 5 });
    await watcher.check(['sub_a']);
    expect(sayings('sub_a')).toEqual(['allowance true true']);
    expect(sayings('sub_b')).toEqual(['allowance true false']);
  });
});

describe('a check', () => {
  it('ahead of a charge notifies only the subscription that asked for it', async () => {
    const ahead = paying(5, 0);
    ahead.checksAhead();
    await keep('sub_a', ahead);
    await keep('sub_b', paying(6, 1));
    base.means.set(W1, { allowance: 5, balance: 4 });
    await watcher.check([watchId('sub_a', 'risk')]);
    expect(sayings('sub_a')).toEqual(['risk true false']);
    expect(sayings('sub_b')).toEqual(['allowance false false']);
  });

  it('for a migration that is over reports nothing about it, and ends its watch', async () => {
    const made = asked(paying(5, 0), termsOf(8));
    await keep('sub_a', made);
    const [doc] = await store.actors.load('subscription', ['sub_a']);
    if (!doc) throw new Error('nothing is stored');
    await watcher.watch(doc, 'charge');
    await watcher.watch(doc, 'migration');
    now = new Date(addDays(START, 39));
    await watcher.check([watchId('sub_a', 'migration')]);
    expect(await watches()).toEqual(['sub_a', 'sub_a:migration']);
    reported = [];
    now = new Date(addDays(START, 40));
    await watcher.check([watchId('sub_a', 'migration')]);
    expect(sayings('sub_a')).toEqual(['allowance false false']);
    expect(await watches()).toEqual(['sub_a']);
  });

  it('of an ended subscription ends its watches', async () => {
    const made = asked(paying(5, 0), termsOf(8));
    made.send({ type: 'cancel.requested', atPeriodEnd: false, reason: 'requested' });
    await keep('sub_a', made);
    for (const interest of ['charge', 'migration', 'risk'] as const) {
      const lookAt = now;
      const watch = {
        merchantId: 'mrc_1',
        mode: 'test',
        chainId: BASE,
        token: '0xt',
        operator: '0xo',
        wallet: W1,
      } as const;
      await store.records.insert('watches', [
        { _id: watchId('sub_a', interest), ...watch, lookAt, looks: 0, createdAt: now },
      ]);
    }
    expect(await watcher.checkDue()).toBe(3);
    expect([await watches(), reported]).toEqual([[], []]);
  });

  it('of a chain that does not answer does not delay those of another chain', async () => {
    await keep('sub_a', paying(5, 0));
    const elsewhere = new TestSubscription({
      terms: termsOf(6, { tokenKey: 'usdc-sepolia', chainId: SEPOLIA }),
      payerWallet: W2,
    });
    await keep('sub_b', elsewhere);
    base.answer = async () => {
      throw new Error('the node does not answer');
    };
    sepolia.means.set(W2, { allowance: 6, balance: 6 });
    await expect(watcher.check(['sub_a', 'sub_b'])).rejects.toThrow('the node does not answer');
    expect([sayings('sub_a'), sayings('sub_b')]).toEqual([[], ['allowance true true']]);
  });

  it('after a log concerns only that chain', async () => {
    const elsewhere = termsOf(8, { tokenKey: 'usdc-sepolia', chainId: SEPOLIA });
    const made = asked(paying(5, 0), elsewhere);
    await keep('sub_a', made);
    const [doc] = await store.actors.load('subscription', ['sub_a']);
    if (!doc) throw new Error('nothing is stored');
    await watcher.watch(doc, 'migration');
    base.answer = async () => {
      throw new Error('the node does not answer');
    };
    await watcher.walletsChanged(SEPOLIA, [W1.toLowerCase()]);
    expect(sayings('sub_a')).toEqual(['migration false']);
  });

  it('that began later is reported later, with the block of its read', async () => {
    await keep('sub_a', paying(5, 0));
    base.means.set(W1, { allowance: 0, balance: 0 });
    const held = deferred<void>();
    base.answer = async (states) => {
      await held.promise;
      return states;
    };
    const first = watcher.check(['sub_a']);
    while (base.reads.length === 0) await new Promise((resolve) => setImmediate(resolve));
    base.means.set(W1, { allowance: 9, balance: 9 });
    base.block = 2;
    base.answer = async (states) => states;
    const further = [watcher.check(['sub_a']), watcher.check(['sub_a'])];
    await new Promise((resolve) => setImmediate(resolve));
    expect(base.reads).toHaveLength(1);
    held.resolve();
    await Promise.all([first, ...further]);
    expect(sayings('sub_a')).toEqual(['allowance false false', 'allowance true true']);
    expect(base.reads).toHaveLength(2);
    expect(reported.map(({ event }) => 'reading' in event && event.reading?.block)).toEqual([1, 2]);
  });

  async function watches(): Promise<string[]> {
    return (await store.records.find('watches', { where: { chainId: BASE }, limit: 9 })).map(({ _id }) => _id).sort();
  }
});

describe('the lasting watch of an allowance on Solana', () => {
  const CHAIN = 103;
  const WALLET = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
  let solana: PlayedChain;

  beforeEach(() => {
    solana = { ...played(CHAIN), family: 'solana' };
    watcher = watcherOf([base, solana]);
  });

  function onSolana(): TestSubscription {
    const terms = termsOf(5, { tokenKey: 'usdc-solana-devnet', chainId: CHAIN });
    return new TestSubscription({ terms, payerWallet: WALLET });
  }

  async function lastingWatches() {
    return store.records.find('watches', { where: { chainId: CHAIN }, limit: 9 });
  }

  it("is one watch with the wallet's allowance, however many subscriptions claim it, and causes no check", async () => {
    await keep('sub_a', onSolana());
    await keep('sub_b', onSolana());
    await watcher.check(['sub_a']);
    expect(await lastingWatches()).toMatchObject([
      { merchantId: 'mrc_1', mode: 'test', wallet: WALLET, operator: '0xoperator', allowance: '0', lookAt: null },
    ]);
    const reads = solana.reads.length;
    await watcher.walletsChanged(CHAIN, [WALLET]);
    expect([await watcher.checkDue(), solana.reads.length]).toEqual([0, reads]);
  });

  it('has the amount of the last check, so that a return to the earlier amount is a difference again', async () => {
    await keep('sub_a', onSolana());
    await watcher.check(['sub_a']);
    solana.means.set(WALLET, { allowance: 9, balance: 9 });
    now = new Date(now.getTime() + 1_000);
    await watcher.check(['sub_a']);
    expect(await lastingWatches()).toMatchObject([{ allowance: String(9n * MILLION), createdAt: now }]);
  });

  it.each([
    { claims: 'a live subscription', live: ['sub_b'], left: 1 },
    { claims: 'no live subscription', live: [], left: 0 },
  ])('stays only while a live subscription claims it: $claims claims it', async ({ live, left }) => {
    const ended = onSolana();
    ended.send({ type: 'cancel.requested', atPeriodEnd: false, reason: 'requested' });
    await keep('sub_a', ended);
    for (const id of live) await keep(id, onSolana());
    await stood();
    expect(await lastingWatches()).toHaveLength(left);
  });

  it('stays if another process begins to claim it during its removal', async () => {
    const { records } = store;
    const remove = records.remove.bind(records);
    records.remove = async (from, ids) => {
      if (from === 'watches') await keep('sub_late', onSolana());
      return remove(from, ids);
    };
    await stood();
    expect(await lastingWatches()).toHaveLength(1);
  });

  /** Ends a subscription on an allowance with a lasting watch. */
  async function stood(): Promise<void> {
    const allowance = { chain: solana, token: token(), operator: '0xoperator', wallet: WALLET };
    const of = { merchantId: 'mrc_1', mode: 'test', chainId: CHAIN, token: token(), wallet: WALLET } as const;
    const times = { lookAt: null, looks: 0, createdAt: now };
    await store.records.insert('watches', [
      { ...of, ...times, _id: allowanceWatchId(of, allowance), operator: allowance.operator, allowance: '7' },
    ]);
    await watcher.allowancesChanged([{ ...of, consent: OPEN, block: null }]);
    await watcher.checkChanges();
  }

  function token(): string {
    const answer = buildCatalog().play('usdc-solana-devnet', 'test');
    if (!answer.ok) throw new Error('the token is not played');
    return answer.play.token;
  }
});
