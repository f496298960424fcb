import { spyOn } from 'jest-mock';
import { ChargeAdmission, type ChargeAdmissionLimits } from '../../src/billing/due/charge-admission.ts';
import { createChains } from '../../src/chains/registry.ts';
import { cyclePaymentId } from '../../src/model/payment.ts';
import type { StoredActor } from '../../src/store/documents.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { scriptedCatalog, scriptedChain } from '../../stage/scripted-chain.ts';
import { active, charging, coveredMigration } from '../machines/support/subscription.ts';
import { actor, at, charge } from '../store/support/documents.ts';
import { ALICE } from '../support/bodies.ts';

const LIMITS = { waiting: 10, few: 2, checkMs: 5, stuckMs: 60_000, heldMs: 60_000, arriveMs: 60_000 };
const MANY = ['a', 'b', 'c'];
const catalog = scriptedCatalog();
const BASE_SEPOLIA = 84_532;

/** A subscription in a token; by default of the chain with the waiting charges. */
function due(_id: string, tokenKey = 'usdc-local-evm'): StoredActor {
  const { context } = charging();
  return actor({ _id, context: { ...context, terms: { ...context.terms, tokenKey } } });
}

/** A subscription whose next boundary moves it from the other chain to this one. */
function migrating(_id: string): StoredActor {
  const { context } = active();
  const terms = { ...context.terms, tokenKey: 'usdc-base-sepolia' };
  return actor({ _id, context: { ...context, terms, migration: coveredMigration({}, ALICE) } });
}

/** An engine whose effects run when the test says so. */
class Effects {
  readonly #open = new Map<string, () => void>();
  readonly #asked = new Set<string>();
  /** The effects that must wait; all others have run. */
  readonly #pending: ReadonlySet<string>;

  constructor(pending: readonly string[]) {
    this.#pending = new Set(pending);
  }

  async recall(_: string, ids: readonly string[]) {
    return ids.map((id) => due(id));
  }

  completed(id: string): Promise<void> {
    this.#asked.add(id);
    if (!this.#pending.has(id)) return Promise.resolve();
    return new Promise((resolve) => this.#open.set(id, resolve));
  }

  async untilAsked(id: string): Promise<void> {
    while (!this.#asked.has(id)) await turn();
  }

  run(id: string): void {
    this.#open.get(id)?.();
  }
}

interface Scene {
  readonly waiting: number;
  readonly senders?: number;
  readonly limits?: Partial<ChargeAdmissionLimits>;
  readonly pending?: readonly string[];
}

async function admissionWith({ waiting, senders = 1, limits = {}, pending = [] }: Scene) {
  const store = openMemoryStore();
  const docs = Array.from({ length: waiting }, (_, index) => charge({ notBefore: at(index) }));
  await store.records.insert('charges', docs);
  const effects = new Effects(pending);
  const chains = createChains([
    { ...scriptedChain(), senderCount: senders },
    { ...scriptedChain(), chainId: BASE_SEPOLIA },
  ]);
  const admission = new ChargeAdmission({ store, catalog, chains, engine: effects }, { ...LIMITS, ...limits });
  const opened: string[][] = [];
  /** Admits and dispatches as the engine does. Resolves with the number of admitted ones. */
  const open = async (asked: readonly StoredActor[]): Promise<number> => {
    const admitted = await admission.admit(asked);
    if (admitted.docs.length > 0) opened.push(admitted.docs.map(({ _id }) => _id));
    await admitted.dispatched?.();
    return admitted.docs.length;
  };
  const openAll = (ids: readonly string[], tokenKey?: string) => open(ids.map((id) => due(id, tokenKey)));
  return { store, docs, effects, opened, open, openAll };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

/** Resolves after so many more checks of the chain. */
async function checks(times: number, roundTrips: () => number): Promise<void> {
  const enough = roundTrips() + times;
  while (roundTrips() < enough) await turn();
}

describe('many due subscriptions', () => {
  const FULL = { waiting: 50, limits: { heldMs: 20 } };
  const mine = MANY.map((id) => due(id));
  const elsewhere = MANY.map((id) => due(id, 'usdc-base-sepolia'));
  const payments = mine.map((doc) => ({ ...doc, kind: 'payment' as const }));

  it.each<[title: string, Scene, StoredActor[], opened: string[][]]>([
    ['are opened while senders have room', { waiting: 10 }, mine, [MANY]],
    ['are opened while each of several senders has room', { ...FULL, waiting: 30, senders: 3 }, mine, [MANY]],
    ['are left for later when no sender has room', { ...FULL, waiting: 31, senders: 3 }, mine, []],
    ['are left for later when there has been no room for a while', FULL, mine, []],
    ['do not wait for a chain that does not advance', { waiting: 50, limits: { stuckMs: 20 } }, mine, [MANY]],
    ['do not wait for a chain that charges none of them', { waiting: 50 }, elsewhere, [MANY]],
    ['are held back by the chain to which a migration moves them', FULL, MANY.map(migrating), []],
    ['of several chains are opened where there is room', FULL, [due('a'), ...elsewhere.slice(1, 2), due('c')], [['b']]],
    ['of other kinds are not held back', FULL, payments, [MANY]],
  ])('%s', async (_title, scene, docs, expected) => {
    const { open, opened } = await admissionWith(scene);
    expect(await open(docs)).toBe(expected.flat().length);
    expect(opened).toEqual(expected);
  });

  it('are held back while hundreds of charges wait, and opened when they are taken', async () => {
    const { openAll, opened, store, docs } = await admissionWith({ waiting: 11 });
    const asked = openAll(MANY);
    await checks(6, store.roundTrips);
    expect(opened).toEqual([]);
    await store.records.change('charges', docs[0]?._id ?? '', {}, { set: { state: 'started' } });
    expect(await asked).toBe(3);
    expect(opened).toEqual([MANY]);
  });

  it('are opened at once if they are few', async () => {
    const { openAll, opened, store } = await admissionWith({ waiting: 50 });
    const before = store.roundTrips();
    expect(await openAll(['a', 'b'])).toBe(2);
    expect(opened).toEqual([['a', 'b']]);
    expect(store.roundTrips()).toBe(before);
  });

  it('do not wait for a chain whose charges are only deferred again and again', async () => {
    const { openAll, store, docs } = await admissionWith({ waiting: 50, limits: { stuckMs: 100, heldMs: 5_000 } });
    let isOver = false;
    const asked = openAll(MANY).finally(() => {
      isOver = true;
    });
    for (let puts = 0; !isOver; puts += 1) {
      const { _id } = docs[puts % docs.length] ?? charge();
      await store.records.change('charges', _id, {}, { set: { notBefore: at(1_000 + puts) } });
      await turn();
    }
    expect(await asked).toBe(3);
  });

  it('are held back while one charge is deferred again and again, and all others are taken', async () => {
    const { openAll, opened, store, docs } = await admissionWith({
      waiting: 50,
      limits: { stuckMs: 100, heldMs: 600 },
    });
    let isOver = false;
    const asked = openAll(MANY).finally(() => {
      isOver = true;
    });
    const [, ...others] = docs;
    for (let later = 1_000; !isOver; later += 1) {
      const taken = others.shift();
      const next = charge({ notBefore: at(later) });
      await store.records.insert('charges', [next]);
      await store.records.change('charges', taken?._id ?? '', {}, { set: { state: 'started' } });
      others.push(next);
      await turn();
    }
    expect(await asked).toBe(0);
    expect(opened).toEqual([]);
  });

  it('are searched for once, however many callers ask', async () => {
    const { openAll, store } = await admissionWith({ waiting: 50, limits: { checkMs: 1_000, heldMs: 0 } });
    const before = store.roundTrips();
    await Promise.all([openAll(MANY), openAll(MANY), openAll(MANY)]);
    expect(store.roundTrips() - before).toBe(3);
  });

  it('are held back at the cost of few documents', async () => {
    const { openAll, store } = await admissionWith({ ...FULL, limits: { heldMs: 100 } });
    const find = spyOn(store.records, 'find');
    const count = spyOn(store.records, 'count');
    expect(await openAll(MANY)).toBe(0);
    const found = await Promise.all(find.mock.results.map(({ value }) => value));
    expect(found.flat()).toHaveLength(50);
    expect(count.mock.calls.length).toBeGreaterThan(1);
    for (const [, where] of count.mock.calls) expect(where).toEqual({ chainId: 31_337, state: 'waiting' });
  });

  it('reach the senders two batches at a time', async () => {
    const payment = cyclePaymentId('b', 1);
    const { openAll, opened, effects } = await admissionWith({ waiting: 0, pending: ['a', payment, 'd'] });
    const [others, last] = [
      ['d', 'e', 'f'],
      ['g', 'h', 'i'],
    ] as const;
    const runs = [openAll(MANY), openAll(others), openAll(last)];
    await effects.untilAsked('a');
    await effects.untilAsked('d');
    effects.run('a');
    await effects.untilAsked(payment);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(opened).toEqual([MANY, others]);
    effects.run(payment);
    await runs[2];
    expect(opened).toEqual([MANY, others, last]);
    effects.run('d');
    expect(await Promise.all(runs)).toEqual([3, 3, 3]);
  });

  it('do not wait for ever for a batch whose effects hang', async () => {
    const { openAll, opened } = await admissionWith({
      waiting: 0,
      pending: ['a'],
      limits: { arriveMs: 5, batches: 1 },
    });
    const others = ['d', 'e', 'f'];
    expect(await Promise.all([openAll(MANY), openAll(others)])).toEqual([3, 3]);
    expect(opened).toEqual([MANY, others]);
  });
});
