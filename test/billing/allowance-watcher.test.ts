import { getAddress } from 'ethers';
import { addDays } from '../../machines/rules/period.ts';
import type { Terms } from '../../machines/subscription/context.ts';
import { AllowanceWatcher } from '../../src/billing/allowances/allowance-watcher.ts';
import { allowanceWatchId, watchId } from '../../src/billing/allowances/watching.ts';
import { buildCatalog } from '../../src/chains/catalog.ts';
import { OPEN } from '../../src/chains/consent.ts';
import type { AllowanceRead, AllowanceState, Chain } from '../../src/chains/port.ts';
import { createChains } from '../../src/chains/registry.ts';
import type { Dispatch } from '../../src/engine/types.ts';
import { BEHIND_MAX } from '../../src/store/actors/heads.ts';
import type { StoredActor } from '../../src/store/documents.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/port.ts';
import { Workers } from '../../src/store/workers.ts';
import { recordingLog } from '../../stage/recording-log.ts';
import { quietChain } from '../../stage/scripted-chain.ts';
import { deferred } from '../engine/support/world.ts';
import { COVERED, MONTHLY, START, TestSubscription, UNCOVERED } from '../machines/support/subscription.ts';
import { insertActors } from '../store/support/documents.ts';
import { mandateDoc } from '../support/mandate-doc.ts';

const BASE = 84_532;
const SEPOLIA = 11_155_111;
const SOLANA = 103;
const W1 = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const W2 = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const SOL_WALLET = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const TENANT = { merchantId: 'mrc_1', mode: 'test' } as const;
const DOWN = new Error('the node does not answer');
const MILLION = 1_000_000n;

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

let store: Store;
let base: PlayedChain;
let sepolia: PlayedChain;
let solana: PlayedChain;
let reported: Dispatch[];
let recorded: ReturnType<typeof recordingLog>;
let watcher: AllowanceWatcher;
let now: Date;

beforeEach(() => {
  store = openMemoryStore();
  [base, sepolia, solana] = [played(BASE), played(SEPOLIA), { ...played(SOLANA), family: 'solana' }];
  reported = [];
  recorded = recordingLog();
  now = new Date(addDays(START, 10));
  watcher = watcherOf(new Workers(store), [base, sepolia, solana]);
});

function watcherOf(workers: Workers, chains: readonly Chain[]): AllowanceWatcher {
  return new AllowanceWatcher({
    store,
    catalog: buildCatalog(),
    chains: createChains(chains),
    clock: () => now,
    log: recorded.log,
    workers,
    engine: {
      dispatchMany: async (requests) => {
        reported.push(...requests);
        return [];
      },
    },
    checkSessions: async () => {},
    checkRefunds: async () => {},
    checkDeposits: async () => {},
  });
}

function termsOf(amount: number, more: Partial<Terms> = {}): Terms {
  const of = { ...MONTHLY, tokenKey: 'usdc-base-sepolia', chainId: BASE, amount: String(amount * 1_000_000) };
  return { ...of, priceId: `price_${amount}`, ...more };
}

const ON_SEPOLIA = { tokenKey: 'usdc-sepolia', chainId: SEPOLIA };

/** A subscription with this monthly amount, authorized so many days after the start. */
function paying(amount: number, day: number, payerWallet: string | null = W1): TestSubscription {
  const made = new TestSubscription({ terms: termsOf(amount), payerWallet });
  return made.at(addDays(START, day)).goes(COVERED, 'falls', 'settles');
}

function onSolana(): TestSubscription {
  const terms = termsOf(5, { tokenKey: 'usdc-solana-devnet', chainId: SOLANA });
  return new TestSubscription({ terms, payerWallet: SOL_WALLET });
}

async function keep(id: string, made: TestSubscription, change: Partial<StoredActor> = {}): Promise<StoredActor> {
  const doc = made.doc({ _id: id, ...TENANT, ...change });
  await insertActors(store, [doc]);
  return doc;
}

function asked(made: TestSubscription, terms: Terms, wallet: string | null = null): TestSubscription {
  made.send({ type: 'migration.requested', terms, expiresAt: addDays(START, 40) });
  if (wallet !== null) made.send({ type: 'migration.signed', wallet });
  return made;
}

/** The event in short: what is covered, and what could be paid now. */
function inShort({ event }: Dispatch): string {
  if (event.type === 'migration.seen') return `migration ${event.covers}`;
  if (event.type !== 'allowance.seen' && event.type !== 'risk.seen') throw new Error(event.type);
  return `${event.type.replace('.seen', '')} ${event.covers} ${event.payable}`;
}

/** The events that each subscription has got since the last call, in order. */
function eventsSince(): Record<string, string[]> {
  const events: Record<string, string[]> = {};
  for (const each of reported.splice(0)) events[each.id] = [...(events[each.id] ?? []), inShort(each)];
  return events;
}

async function check(...ids: readonly string[]): Promise<Record<string, string[]>> {
  await watcher.check(ids);
  return eventsSince();
}

async function watchesOn(chainId: number) {
  return store.records.find('watches', { where: { chainId }, limit: 9 });
}

describe('the cover of one allowance', () => {
  it('reserves for earlier authorizations, but not for terms that would be replaced', async () => {
    await keep('sub_a', asked(paying(5, 0), termsOf(8)));
    await keep('sub_b', paying(10, 1));
    const covered = ['allowance true true'];
    base.means.set(W1, { allowance: 17, balance: 100 });
    expect(await check('sub_a')).toEqual({ sub_a: ['migration false', ...covered], sub_b: covered });
    base.means.set(W1, { allowance: 18, balance: 100 });
    expect(await check('sub_a')).toEqual({ sub_a: ['migration true', ...covered], sub_b: covered });
  });

  it('reserves for the open cycle, which keeps its amount', async () => {
    await keep('sub_a', asked(paying(5, 0).goes('falls', 'fails'), termsOf(8), W1));
    base.means.set(W1, { allowance: 12, balance: 100 });
    expect(await check('sub_a')).toEqual({ sub_a: ['migration false', 'allowance true true'] });
    base.means.set(W1, { allowance: 13, balance: 100 });
    expect(await check('sub_a')).toEqual({ sub_a: ['migration true', 'allowance true true'] });
  });

  it('reserves for terms that will bill this wallet from a boundary on', async () => {
    const moving = asked(paying(5, 0, W1), termsOf(8), W2).goes({ type: 'migration.seen', covers: true });
    await watcher.watch(await keep('sub_a', moving), 'migration');
    await keep('sub_b', paying(10, 1, W2));
    const sub_a = ['migration true', 'allowance true true'];
    base.means.set(W2, { allowance: 17, balance: 100 });
    expect(await check('sub_b')).toEqual({ sub_a, sub_b: ['allowance false false'] });
    base.means.set(W2, { allowance: 18, balance: 100 });
    expect(await check('sub_b')).toEqual({ sub_a, sub_b: ['allowance true true'] });
    expect(base.reads.at(-1)).toEqual([expect.objectContaining({ wallet: W2 })]);
  });

  it('is read from the signing wallet on the chain of the new terms, and from the present wallet until then', async () => {
    const elsewhere = termsOf(8, ON_SEPOLIA);
    await keep('sub_a', asked(paying(5, 0), elsewhere));
    await keep('sub_b', asked(paying(6, 0), elsewhere, W2));
    sepolia.means.set(W1, { allowance: 8, balance: 100 });
    sepolia.means.set(W2, { allowance: 8, balance: 0 });
    base.means.set(W1, { allowance: 11, balance: 100 });
    await watcher.check(['sub_a']);
    const [first] = reported.filter(({ event }) => event.type === 'migration.seen');
    expect(first?.event).toMatchObject({
      reading: { priceId: 'price_8', tokenKey: 'usdc-sepolia', wallet: W1, chainId: SEPOLIA, block: 1 },
    });
    expect(new Set(eventsSince()['sub_a'])).toEqual(new Set(['migration true', 'allowance true true']));
    const { sub_b } = await check('sub_b');
    expect(sub_b).toEqual(expect.arrayContaining(['migration true', 'allowance true false']));
  });

  it('reserves from a balance for charges that are due earlier, in whatever order they were authorized', async () => {
    await keep('sub_a', paying(5, 5));
    await keep('sub_b', paying(6, 2));
    await keep('sub_c', paying(7, 8));
    base.means.set(W1, { allowance: 100, balance: 11 });
    expect(await check('sub_a')).toEqual({
      sub_a: ['allowance true true'],
      sub_b: ['allowance true true'],
      sub_c: ['allowance true false'],
    });
  });

  it('gives a past due charge the whole balance while others are not due yet', async () => {
    const late = paying(5, 5).goes('falls');
    late.fails('insufficient_balance');
    await keep('sub_a', late);
    await keep('sub_b', paying(9, 0).goes('isAsked', 'settles'));
    base.means.set(W1, { allowance: 100, balance: 5 });
    expect(await check('sub_a')).toEqual({ sub_a: ['allowance true true'], sub_b: ['allowance true false'] });
  });
});

describe('a check', () => {
  it('notifies every subscription of the wallet, however many there are', async () => {
    const made = paying(5, 0);
    const ids = Array.from({ length: 501 }, (_, index) => `sub_${String(index).padStart(4, '0')}`);
    await insertActors(
      store,
      ids.map((_id) => made.doc({ _id, ...TENANT })),
    );
    base.means.set(W1, { allowance: 10_000, balance: 10_000 });
    const events = await check('sub_0000');
    expect(Object.keys(events).sort()).toEqual(ids);
    expect(new Set(Object.values(events).flat())).toEqual(new Set(['allowance true true']));
  });

  it('skips an unreadable subscription, logs it once, and notifies the others of the wallet', async () => {
    await watcher.watch(await keep('sub_sound', paying(5, 0)));
    const sound = paying(5, 0);
    await watcher.watch(sound.doc({ _id: 'sub_broken', ...TENANT }));
    await keep('sub_broken', sound, { context: { ...sound.context, terms: 'none' } });
    await watcher.walletsChanged(BASE, [W1.toLowerCase()]);
    await watcher.check(['sub_sound']);
    expect(await watcher.survey(['sub_broken', 'sub_sound'])).toHaveLength(1);
    expect(reported.map(({ id }) => id)).toEqual(['sub_sound', 'sub_sound']);
    const message = 'a document cannot be read; computations go on without it';
    expect(recorded.lines).toEqual([
      { level: 'error', detail: expect.objectContaining({ id: 'sub_broken' }), message },
    ]);
  });

  it('is repeated after a log, because the node may not have had the block', async () => {
    base.means.set(W1, { allowance: 0, balance: 100 });
    await watcher.watch(await keep('sub_a', paying(5, 0)));
    const days = (count: number) => new Date(now.getTime() + count * 86_400_000);
    for (now = days(31); (await watcher.checkDue()) > 0; );
    expect(await watchesOn(BASE)).toMatchObject([{ _id: 'sub_a', lookAt: null }]);
    eventsSince();
    await watcher.walletsChanged(BASE, [W1.toLowerCase()]);
    expect(eventsSince()).toEqual({ sub_a: ['allowance false false'] });
    base.means.set(W1, { allowance: 100, balance: 100 });
    now = new Date(now.getTime() + 15_000);
    expect(await watcher.checkDue()).toBe(1);
    expect(eventsSince()).toEqual({ sub_a: ['allowance true true'] });
    now = days(1);
    expect(await watcher.checkDue()).toBe(0);
  });

  it('ahead of a charge notifies only the subscription that asked for it', async () => {
    await keep('sub_a', paying(5, 0).goes('checksAhead'));
    await keep('sub_b', paying(6, 1));
    base.means.set(W1, { allowance: 5, balance: 4 });
    expect(await check(watchId('sub_a', 'risk'))).toEqual({
      sub_a: ['risk true false'],
      sub_b: ['allowance false false'],
    });
  });

  it.each([
    ['in force', {}, true],
    ['revoked', { revokedAt: new Date() }, false],
    ['used up', { usedUpAt: new Date() }, false],
  ])('ahead of a charge says whether it could be paid under a mandate that is %s', async (_, end, covers) => {
    const mandate = mandateDoc(end);
    await store.records.insert('mandates', [mandate]);
    const consent = { mandateId: mandate._id, router: mandate.router };
    const made = paying(5, 0).goes('checksAhead');
    base.means.set(W1, { allowance: 100, balance: 100 });
    await watcher.watch(await keep('sub_a', made, { context: { ...made.context, consent } }), 'risk');
    await watcher.checkDue();
    expect(eventsSince()).toEqual({ sub_a: [`risk ${covers} ${covers}`] });
  });

  it('for a migration that is over reports nothing about it, and ends its watch', async () => {
    const doc = await keep('sub_a', asked(paying(5, 0), termsOf(8)));
    await watcher.watch(doc, 'charge');
    await watcher.watch(doc, 'migration');
    now = new Date(addDays(START, 39));
    await watcher.check([watchId('sub_a', 'migration')]);
    expect(await watched()).toEqual(['sub_a', 'sub_a:migration']);
    eventsSince();
    now = new Date(addDays(START, 40));
    expect(await check(watchId('sub_a', 'migration'))).toEqual({ sub_a: ['allowance false false'] });
    expect(await watched()).toEqual(['sub_a']);
  });

  it('of an ended subscription ends its watches', async () => {
    const made = asked(paying(5, 0), termsOf(8));
    made.send({ type: 'cancel.requested', atPeriodEnd: false, reason: 'requested' });
    await keep('sub_a', made);
    for (const interest of ['charge', 'migration', 'risk'] as const) {
      const of = { ...TENANT, chainId: BASE, token: '0xt', operator: '0xo', wallet: W1 };
      const times = { partition: 0, lookAt: now, looks: 0, createdAt: now };
      await store.records.insert('watches', [{ _id: watchId('sub_a', interest), ...of, ...times }]);
    }
    expect(await watcher.checkDue()).toBe(3);
    expect([await watched(), reported]).toEqual([[], []]);
  });

  it('of a chain that does not answer does not delay those of another chain', async () => {
    await keep('sub_a', paying(5, 0));
    await keep('sub_b', new TestSubscription({ terms: termsOf(6, ON_SEPOLIA), payerWallet: W2 }));
    base.answer = () => Promise.reject(DOWN);
    sepolia.means.set(W2, { allowance: 6, balance: 6 });
    await expect(watcher.check(['sub_a', 'sub_b'])).rejects.toThrow(DOWN);
    expect(eventsSince()).toEqual({ sub_b: ['allowance true true'] });
  });

  it('after a log concerns only that chain', async () => {
    await watcher.watch(await keep('sub_a', asked(paying(5, 0), termsOf(8, ON_SEPOLIA))), 'migration');
    base.answer = () => Promise.reject(DOWN);
    await watcher.walletsChanged(SEPOLIA, [W1.toLowerCase()]);
    expect(eventsSince()).toEqual({ sub_a: ['migration false'] });
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
    expect(reported.map(({ event }) => 'reading' in event && event.reading?.block)).toEqual([1, 2]);
    expect(eventsSince()).toEqual({ sub_a: ['allowance false false', 'allowance true true'] });
    expect(base.reads).toHaveLength(2);
  });

  async function watched(): Promise<string[]> {
    return (await watchesOn(BASE)).map(({ _id }) => _id).sort();
  }
});

describe('a charge', () => {
  /** Checks the allowance from which it has taken. Returns how many subscriptions were read. */
  async function charged(chainId: number, wallet: string, tokenKey: string): Promise<number> {
    let read = 0;
    const get = store.records.get.bind(store.records);
    store.records.get = async (from, ids) => {
      // Each read of a subscription asks for the rows after its head.
      if (from === 'log') read += ids.length / BEHIND_MAX;
      return get(from, ids);
    };
    base.parseAddress = getAddress;
    const token = buildCatalog().tokenByKey(tokenKey)?.address ?? '';
    await watcher.allowancesChanged([{ ...TENANT, consent: OPEN, chainId, token, wallet, block: 1, isCharged: true }]);
    await watcher.checkChanges();
    return read;
  }

  const unconfirmed = () => paying(5, 2).goes(UNCOVERED);
  it.each([
    { what: 'leaves enough for all claims', other: () => paying(5, 2), allowance: 11, reads: 0, events: {} },
    {
      what: 'leaves too little',
      other: () => paying(5, 2),
      allowance: 9,
      reads: 2,
      events: { sub_b: ['allowance false false'] },
    },
    {
      what: 'covers one that is not confirmed',
      other: unconfirmed,
      allowance: 10,
      reads: 2,
      events: { sub_b: ['allowance true true'] },
    },
    {
      what: 'covers one that was never authorized',
      other: () => new TestSubscription({ terms: termsOf(5), payerWallet: W1 }),
      allowance: 10,
      reads: 2,
      events: { sub_b: ['allowance true true'] },
    },
    {
      what: 'covers one that waits for new terms',
      other: () => asked(paying(5, 2), termsOf(7)),
      allowance: 12,
      reads: 2,
      events: { sub_b: ['migration true', 'allowance true true'] },
    },
  ])('that $what reads $reads of two subscriptions', async ({ other, allowance, reads, events }) => {
    await keep('sub_a', paying(5, 1));
    await keep('sub_b', other());
    base.means.set(W1, { allowance, balance: 100 });
    expect(await charged(BASE, W1, 'usdc-base-sepolia')).toBe(reads);
    expect(eventsSince()).toEqual(events);
  });

  it('that leaves enough is not believed by a node without its block', async () => {
    await keep('sub_a', paying(5, 1));
    base.means.set(W1, { allowance: 11, balance: 100 });
    base.block = 0;
    await charged(BASE, W1, 'usdc-base-sepolia');
    expect(await store.records.find('allowanceChanges', { where: {}, limit: 2 })).toMatchObject([{ looks: 1 }]);
  });

  it('on Solana moves the amount of the lasting watch', async () => {
    await keep('sub_a', onSolana().goes(COVERED, 'falls', 'settles'));
    solana.means.set(SOL_WALLET, { allowance: 20, balance: 90 });
    await watcher.check(['sub_a']);
    solana.means.set(SOL_WALLET, { allowance: 15, balance: 90 });
    expect(await charged(SOLANA, SOL_WALLET, 'usdc-solana-devnet')).toBe(0);
    expect(await watchesOn(SOLANA)).toMatchObject([{ allowance: String(15n * MILLION) }]);
  });
});

describe('the lasting watch of an allowance on Solana', () => {
  it("is one watch with the wallet's allowance, however many subscriptions claim it, and causes no check", async () => {
    await keep('sub_a', onSolana());
    await keep('sub_b', onSolana());
    await watcher.check(['sub_a']);
    expect(await watchesOn(SOLANA)).toMatchObject([
      { ...TENANT, wallet: SOL_WALLET, operator: '0xoperator', allowance: '0', lookAt: null },
    ]);
    const reads = solana.reads.length;
    await watcher.walletsChanged(SOLANA, [SOL_WALLET]);
    expect([await watcher.checkDue(), solana.reads.length]).toEqual([0, reads]);
  });

  it('has the amount of the last check, so that a return to the earlier amount is a difference again', async () => {
    await keep('sub_a', onSolana());
    await watcher.check(['sub_a']);
    solana.means.set(SOL_WALLET, { allowance: 9, balance: 9 });
    now = new Date(now.getTime() + 1_000);
    await watcher.check(['sub_a']);
    expect(await watchesOn(SOLANA)).toMatchObject([{ allowance: String(9n * MILLION), createdAt: now }]);
  });

  it.each([
    { claims: 'a live subscription', live: ['sub_b'], left: 1 },
    { claims: 'no live subscription', live: [], left: 0 },
  ])('stays only while a live subscription claims it: $claims claims it', async ({ live, left }) => {
    const ended = onSolana().goes({ type: 'cancel.requested', atPeriodEnd: false, reason: 'requested' });
    await keep('sub_a', ended);
    for (const id of live) await keep(id, onSolana());
    await lastsUntilChecked();
    expect(await watchesOn(SOLANA)).toHaveLength(left);
  });

  it('stays if another process begins to claim it during its removal', async () => {
    const { records } = store;
    const remove = records.remove.bind(records);
    records.remove = async (from, ids) => {
      if (from === 'watches') await keep('sub_late', onSolana());
      return remove(from, ids);
    };
    await lastsUntilChecked();
    expect(await watchesOn(SOLANA)).toHaveLength(1);
  });

  /** Checks an allowance that has a lasting watch. */
  async function lastsUntilChecked(): Promise<void> {
    const token = buildCatalog().tokenByKey('usdc-solana-devnet')?.address ?? '';
    const operator = '0xoperator';
    const of = { ...TENANT, chainId: SOLANA, token, wallet: SOL_WALLET };
    const _id = allowanceWatchId(of, { chain: solana, token, operator, wallet: SOL_WALLET });
    const times = { partition: 0, lookAt: null, looks: 0, createdAt: now };
    await store.records.insert('watches', [{ ...of, ...times, _id, operator, allowance: '7' }]);
    await watcher.allowancesChanged([{ ...of, consent: OPEN, block: null }]);
    await watcher.checkChanges();
  }
});

describe('more due checks than one pass has', () => {
  const WALLETS = Array.from({ length: 600 }, (_, index) => getAddress(`0x${String(1_000 + index).padStart(40, '0')}`));
  const changed = (doc: StoredActor, wallet: string) => {
    const token = watcher.chainChargeOf(doc)?.token ?? '';
    return watcher.allowancesChanged([{ ...TENANT, consent: OPEN, chainId: BASE, token, wallet, block: 1 }]);
  };
  const kinds = [
    { of: 'allowanceChanges', add: changed, run: (each: AllowanceWatcher) => each.checkChanges() },
    { of: 'watches', add: (doc: StoredActor) => watcher.watch(doc), run: (each: AllowanceWatcher) => each.checkDue() },
  ] as const;

  /** Two workers that have shared such checks before, each with a node of its own, and a due check for each wallet. */
  async function twoWorkers({ of, add }: (typeof kinds)[number]) {
    const subscription = paying(5, 0);
    const { context } = subscription;
    for (const [index, payerWallet] of WALLETS.entries()) {
      await add(await keep(`sub_${index}`, subscription, { context: { ...context, payerWallet } }), payerWallet);
    }
    const worker = (holder: string) => {
      const workers = new Workers({ records: store.records, holder, elapsed: () => now.getTime() });
      const chain = played(BASE);
      const read = () => chain.reads.flat().map(({ wallet }) => wallet);
      return { workers, read, watcher: watcherOf(workers, [chain]) };
    };
    const [one, other] = [worker('one'), worker('other')];
    for (const { workers } of [one, other, one, other, one]) {
      for (let group = 0; group < 20; group += 1) workers.isMine(`due:${of}:${group}`);
      await workers.beat();
    }
    return { one, other };
  }

  it.each(kinds)('are shared by two workers: $of', async (kind) => {
    const { one, other } = await twoWorkers(kind);
    expect(await kind.run(one.watcher)).toBe(one.read().length);
    await one.workers.beat();
    await other.watcher.checkShare(await other.workers.beat());
    expect([...one.read(), ...other.read()].sort()).toEqual([...WALLETS].sort());
    expect(Math.min(one.read().length, other.read().length)).toBeGreaterThan(200);
  });

  it.each(kinds)('are all made by one worker if the other one has died: $of', async (kind) => {
    const { one } = await twoWorkers(kind);
    expect(await kind.run(one.watcher)).toBeLessThan(350);
    for (let second = 0; second < 4; second += 1) {
      now = new Date(now.getTime() + 1_000);
      await one.workers.beat();
    }
    await kind.run(one.watcher);
    expect(one.read().sort()).toEqual([...WALLETS].sort());
  });
});
