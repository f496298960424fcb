import { randomUUID } from 'node:crypto';
import type { ChainContext, ChainTiming } from '../../../src/chains/context.ts';
import type {
  Chain,
  ChargeFact,
  ChargeListener,
  DepositRead,
  RefundDraft,
  RefundRead,
  RefundState,
  ReportedFact,
  Reserved,
  StartAnswer,
} from '../../../src/chains/port.ts';
import type { ChangedAllowance, ChargeDoc, Collections, TransactionDoc } from '../../../src/store/collections.ts';
import { openMemoryStore } from '../../../src/store/memory/store.ts';
import type { CollectionName, LedgerRecords, Where } from '../../../src/store/port.ts';
import { type Leases, storeLeases, Workers } from '../../../src/store/workers.ts';
import type { LogLine } from '../../../stage/recording-log.ts';
import { shardedRecords } from '../../../stage/sharded-records.ts';
import { merchantOf } from '../../store/support/documents.ts';
import { type RpcProxy, startProxy } from './proxy.ts';
import { type ChainWorld, type ChargeWish, newKey, waitingCharge } from './world.ts';

/** Fast enough for tests; everything else as in production. */
const TEST_TIMING: Partial<ChainTiming> = {
  rpcTimeoutMs: 2_000,
  rpcCheckMs: 100,
  rpcRestFirstMs: 50,
  rpcRestMaxMs: 300,
  queueIdleMs: 50,
  leaseMs: 400,
  askFirstMs: 30,
  askMaxMs: 200,
  finalizedFirstMs: 100,
  finalizedMaxMs: 300,
  reconcileIdleMs: 100,
  logsMs: 40,
  postponeMs: 300,
  retryFirstMs: 50,
  retryMaxMs: 300,
};

export const NOTHING_RESERVED: Reserved = { sure: 0n, unsure: 0n, paymentIds: new Set() };

/** Records the chain's facts; its answers can be changed. */
class TestListener implements ChargeListener {
  readonly reported: ReportedFact[] = [];
  readonly wallets: string[] = [];
  readonly allowances: ChangedAllowance[] = [];
  readonly started: string[] = [];
  /** The charges that may be signed. */
  allows: (charge: ChargeDoc) => boolean = () => true;
  /** The charges that their payments have withdrawn. */
  withdrew: (charge: ChargeDoc) => boolean = () => false;
  /** The reserves before a charge. Null: unknown. */
  sets: (charge: ChargeDoc, precision: string) => Reserved | null = () => NOTHING_RESERVED;
  /** May throw, like an engine that is not certain, and may take time. */
  onNotify: (facts: readonly ReportedFact[]) => void | Promise<void> = () => {};
  readonly #stir: () => void;

  constructor(stir: () => void) {
    this.#stir = stir;
  }

  async start(charges: readonly ChargeDoc[]): Promise<ReadonlyMap<string, StartAnswer>> {
    const allowed = charges.filter((charge) => this.allows(charge)).map((charge) => charge._id);
    this.started.push(...allowed);
    const withdrawn = charges.filter((charge) => this.withdrew(charge)).map((charge) => charge._id);
    return new Map([...allowed.map((id) => [id, 'go'] as const), ...withdrawn.map((id) => [id, 'withdrawn'] as const)]);
  }

  async reserves(charges: readonly ChargeDoc[], precision: string): Promise<ReadonlyMap<string, Reserved>> {
    return new Map(
      charges.flatMap((charge) => {
        const aside = this.sets(charge, precision);
        return aside ? [[charge._id, aside] as const] : [];
      }),
    );
  }

  async notify(facts: readonly ReportedFact[]): Promise<void> {
    await this.onNotify(facts);
    this.reported.push(...facts);
    this.#stir();
  }

  async allowancesChanged(changes: readonly ChangedAllowance[]): Promise<void> {
    this.allowances.push(...changes);
    this.#stir();
  }

  async walletsChanged(_chainId: number, wallets: readonly string[]): Promise<void> {
    this.wallets.push(...wallets);
    this.#stir();
  }

  /** The facts about one charge, in order. */
  of(charge: ChargeDoc): ChargeFact[] {
    return this.reported.filter((fact) => fact.charge._id === charge._id).map(({ fact }) => fact);
  }

  kinds(charge: ChargeDoc): string[] {
    return this.of(charge).map(({ kind }) => kind);
  }
}

/** The options of a chain of any family. */
export interface SharedWish {
  /** One node, or several in the order of preference. */
  readonly rpcUrl?: string | readonly [string, ...string[]];
  /** How many of the world's senders; 1 by default. */
  readonly senders?: number;
  /** The charges that a signing queue takes at once. */
  readonly charges?: number;
  readonly leases?: Leases;
  /** When true, none of its writes reaches the store, as if its process were dead. */
  readonly isDead?: () => boolean;
  readonly fault?: ChainContext['fault'];
  readonly clock?: () => Date;
  readonly timing?: Partial<ChainTiming>;
}

/** The deps of every chain. */
export type SharedDeps = Pick<ChainContext, 'records' | 'listener' | 'leases' | 'clock' | 'newId' | 'fault' | 'log'>;

/** The parts of a chain's configuration that every family has. */
export interface SharedConfig {
  readonly rpcUrls: readonly [string, ...string[]];
  readonly timing: Partial<ChainTiming>;
  readonly sizes?: { readonly charges: number };
}

interface Session {
  readonly listener: TestListener;
  readonly records: LedgerRecords;
  readonly logged: LogLine[];
}

/** A store, a listener, and chains on them; everything that happens wakes those who wait. */
export abstract class ChainBench<Wish extends SharedWish = SharedWish> {
  abstract readonly world: ChainWorld;
  #session: Session = this.#begin();
  readonly #waiting = new Set<() => void>();
  readonly #chains: Chain[] = [];
  readonly #proxies: RpcProxy[] = [];

  get listener(): TestListener {
    return this.#session.listener;
  }

  get records(): LedgerRecords {
    return this.#session.records;
  }

  get logged(): LogLine[] {
    return this.#session.logged;
  }

  /** A chain as another process would make it on the same store. Not started. */
  chain(wish: Partial<Wish> = {}): Chain {
    const clock = wish.clock ?? (() => new Date());
    const timing = { ...TEST_TIMING, ...wish.timing };
    const records = shardedRecords(wish.isDead ? dying(this.records, wish.isDead) : this.records);
    const leaseMs = timing.leaseMs ?? 400;
    const { rpcUrl = this.world.rpcUrl } = wish;
    const config: SharedConfig = {
      rpcUrls: typeof rpcUrl === 'string' ? [rpcUrl] : rpcUrl,
      timing,
      ...(wish.charges === undefined ? {} : { sizes: { charges: wish.charges } }),
    };
    const chain = this.make(wish, config, {
      records,
      listener: this.listener,
      leases: wish.leases ?? storeLeases({ records, workers: new Workers({ records }), leaseMs, clock }),
      clock,
      newId: () => `txn_${randomUUID()}`,
      fault: wish.fault ?? (async () => {}),
      log: this.#log(),
    });
    this.#chains.push(chain);
    return chain;
  }

  /** The same, started. */
  async start(wish: Partial<Wish> = {}): Promise<Chain> {
    const chain = this.chain(wish);
    await chain.start();
    return chain;
  }

  protected abstract make(wish: Partial<Wish>, config: SharedConfig, deps: SharedDeps): Chain;

  /** A node that may lie, in front of the world's own or another. */
  async proxy(target = this.world.rpcUrl): Promise<RpcProxy> {
    const proxy = await startProxy(target);
    this.#proxies.push(proxy);
    return proxy;
  }

  /** A waiting charge; by default of a new payer who can pay it. */
  async newCharge(wish: Partial<ChargeWish> = {}): Promise<ChargeDoc> {
    const from = wish.from ?? (await this.world.payer(wish.merchantId ?? 'mrc_a'));
    return this.chargeOf({ ...wish, from });
  }

  chargeOf(wish: ChargeWish): ChargeDoc {
    return waitingCharge(this.world, wish);
  }

  /** Charges of a payer of `mrc_a` and of one of `mrc_b`, in turn. */
  async newCharges(count: number): Promise<ChargeDoc[]> {
    const merchants = ['mrc_a', 'mrc_b'];
    const payers = await Promise.all(merchants.map((merchantId) => this.world.payer(merchantId)));
    return Array.from({ length: count }, (_, index) => {
      const [from = '', merchantId = ''] = [payers[index % 2], merchants[index % 2]];
      return this.chargeOf({ from, merchantId });
    });
  }

  /** The first reading of a deposit address. */
  depositRead(at: Pick<DepositRead, 'account' | 'address'>, change: Partial<DepositRead> = {}): DepositRead {
    const nothing = { known: new Map<string, bigint>(), found: [], others: [], since: null };
    return {
      ...at,
      token: this.world.token,
      ...nothing,
      isMoving: false,
      createdAt: new Date(),
      limit: 500,
      ...change,
    };
  }

  refundOf(from: string): RefundDraft {
    const [token, to] = [this.world.token, this.world.stranger()];
    return { key: newKey(), paymentId: 'pay_1', refundId: 'ref_1', token, from, to, amount: 700n };
  }

  async readRefund(
    chain: Chain,
    { key, token, to }: RefundDraft,
    more: Partial<RefundRead> = {},
  ): Promise<RefundState> {
    const asked = { key, token, receiver: to, since: null, createdAt: new Date(), known: [], ...more };
    const [state] = await chain.refunds.read([asked]);
    if (state === undefined) throw new Error('no answer');
    return state;
  }

  async charge(...charges: ChargeDoc[]): Promise<void> {
    await this.records.insert('charges', charges);
    for (const chain of this.#chains) chain.wake();
  }

  /** Charges, and waits until all are final. */
  async settle(...charges: ChargeDoc[]): Promise<void> {
    await this.charge(...charges);
    await this.untilState(charges, 'final');
  }

  /** A charge that another service has made, and that is unknown here. */
  async madeElsewhere(): Promise<{ charge: ChargeDoc; made: ChargeDoc }> {
    const charge = await this.newCharge();
    await this.start();
    await this.settle(charge);
    const made = await this.read(charge);
    await this.stop();
    this.forget();
    return { charge, made };
  }

  /** Charges, and waits until all are sent. */
  async send(...charges: ChargeDoc[]): Promise<void> {
    await this.charge(...charges);
    await this.untilState(charges, 'sent');
  }

  /** Charges, and waits until all are refused. */
  async refuse(...charges: ChargeDoc[]): Promise<void> {
    await this.charge(...charges);
    await this.untilState(charges, 'refused');
  }

  /** The stored document with this id. */
  async doc<C extends CollectionName>(from: C, id: string): Promise<Collections[C]> {
    const [doc] = await this.records.get(from, [id]);
    if (!doc) throw new Error(`${from} have no ${id}`);
    return doc;
  }

  read({ _id }: ChargeDoc): Promise<ChargeDoc> {
    return this.doc('charges', _id);
  }

  /** Their states, sorted. */
  async statesOf(charges: readonly ChargeDoc[]): Promise<string[]> {
    return (await Promise.all(charges.map((charge) => this.read(charge)))).map(({ state }) => state).sort();
  }

  /** In the order of their nonces. */
  transactions(where: Where = {}): Promise<TransactionDoc[]> {
    return this.records.find('transactions', { where, sort: [['nonce', 1]], limit: 1_000 });
  }

  /** All transactions that a charge has been in. */
  transactionsOf(charge: ChargeDoc): Promise<TransactionDoc[]> {
    return this.transactions({ chargeIds: charge._id });
  }

  /** The current transaction of a charge. */
  async transactionOf(charge: ChargeDoc): Promise<TransactionDoc> {
    return this.doc('transactions', (await this.read(charge)).transactionId ?? '');
  }

  /** By the chain's own record: each of these charges moved its amount from its payer once, and nothing else moved. */
  async expectPulledOnce(...charges: readonly ChargeDoc[]): Promise<void> {
    for (const wallet of new Set(charges.map(({ from }) => from))) {
      const asked = charges.filter(({ from }) => from === wallet).map(({ gross }) => BigInt(gross));
      const pulled = (await this.world.pulls(wallet)).map(({ amount }) => amount);
      expect([wallet, pulled.length, sum(pulled)]).toEqual([wallet, asked.length, sum(asked)]);
    }
  }

  async expectNothingPulled(charge: ChargeDoc): Promise<void> {
    expect(await this.world.pulls(charge.from)).toEqual([]);
  }

  /** Resolves when `holds` is true; it is called again after every write and every fact. */
  async until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
    const deadline = performance.now() + withinMs;
    while (!(await holds())) {
      const left = deadline - performance.now();
      if (left <= 0) throw new Error(`Waited ${withinMs} ms in vain until ${what}\n${this.#tail()}`);
      await this.#nextStir(Math.min(left, 100));
    }
  }

  /** Waits until all these charges are in one of the states. */
  untilState(charges: readonly ChargeDoc[], ...states: ChargeDoc['state'][]): Promise<void> {
    return this.until(`${charges.length} charges are ${states.join(' or ')}`, async () => {
      const docs = await this.records.get(
        'charges',
        charges.map(({ _id }) => _id),
      );
      return docs.length === charges.length && docs.every(({ state }) => states.includes(state));
    });
  }

  /** Waits until its payment got this fact. */
  untilReported(charge: ChargeDoc, kind: ChargeFact['kind']): Promise<void> {
    return this.until(`it is reported ${kind}`, () => this.listener.kinds(charge).includes(kind));
  }

  /** Waits until the chain's health has a trouble with these words. */
  untilTrouble(chain: Chain, words: string | RegExp): Promise<void> {
    const isIn = (trouble: string) => (typeof words === 'string' ? trouble.includes(words) : words.test(trouble));
    return this.until(`health says ${words}`, async () => isIn((await chain.health()).trouble ?? ''));
  }

  untilWell(chain: Chain): Promise<void> {
    return this.until('health shows no trouble', async () => (await chain.health()).trouble === null);
  }

  /** Waits until a node was asked about the charge's first transaction so many times more, whatever it answered. */
  async untilAskedAgain(charge: ChargeDoc, times: number): Promise<void> {
    const seen = new Set<string>();
    await this.until(`a node was asked about it ${times} times more`, async () => {
      const [transaction] = await this.transactionsOf(charge);
      seen.add(`${transaction?.state} ${transaction?.asked}`);
      return seen.size > times;
    });
  }

  /** Stops the chains. The store stays. */
  async stop(): Promise<void> {
    await Promise.all(this.#chains.splice(0).map((chain) => chain.stop()));
  }

  /** Stops everything. Later processes start on an empty store. */
  async renew(): Promise<void> {
    await this.stop();
    await Promise.all(this.#proxies.splice(0).map((proxy) => proxy.stop()));
    this.forget();
  }

  /** From here on the store is empty, as if another service came to the same chain. */
  forget(): void {
    this.#session = this.#begin();
  }

  #begin(): Session {
    const { records } = openMemoryStore();
    const stir = (): void => this.#stir();
    void records.insert('merchants', [merchantOf('mrc_a')]);
    return { records: stirring(records, stir), listener: new TestListener(stir), logged: [] };
  }

  #tail(): string {
    return this.logged
      .slice(-10)
      .map(({ level, detail, message }) => `${level} ${message} ${JSON.stringify(detail)}`)
      .join('\n');
  }

  #stir(): void {
    for (const wake of this.#waiting) wake();
  }

  #nextStir(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, withinMs);
      this.#waiting.add(wake);
    });
  }

  #log(): SharedDeps['log'] {
    const { logged } = this;
    const at =
      (level: keyof SharedDeps['log']) =>
      (detail: object, message: string): void => {
        logged.push({ level, detail, message });
        this.#stir();
      };
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  }
}

export interface UseOptions {
  /** True: sent transactions get into blocks from the start of each test. */
  readonly pumps?: boolean;
  /** True: each test gets a chain of its own. */
  readonly perTest?: boolean;
}

/** The hooks of a test file: its chain, and a bench on it whose store is empty in each test. */
export function useBench<Bench extends ChainBench>(bench: Bench, { pumps, perTest = false }: UseOptions): Bench {
  const { world } = bench;
  const [before, after] = perTest ? [beforeEach, afterEach] : [beforeAll, afterAll];
  before(() => world.start(), 120_000);
  beforeEach(() => (pumps ? world.pump() : world.hold()));
  afterEach(async () => {
    await bench.renew();
    await world.finalize();
  });
  after(() => world.stop());
  return bench;
}

export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

const WRITES: ReadonlySet<string | symbol> = new Set<keyof LedgerRecords>([
  'insert',
  'change',
  'changeMany',
  'changeAlike',
  'upsert',
  'remove',
]);

/** The same store; it calls `stir` after every write. */
function stirring(records: LedgerRecords, stir: () => void): LedgerRecords {
  return around(records, async (name, run) => {
    const value = await run();
    if (WRITES.has(name)) stir();
    return value;
  });
}

/** The same store while its process lives. */
function dying(records: LedgerRecords, isDead: () => boolean): LedgerRecords {
  return around(records, async (_, run) => {
    if (isDead()) throw new Error('this process is dead');
    return run();
  });
}

/** The same store, each of whose calls `call` makes. */
function around(
  records: LedgerRecords,
  call: (name: string | symbol, run: () => Promise<unknown>) => Promise<unknown>,
): LedgerRecords {
  return new Proxy(records, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...values: unknown[]) => call(name, async () => method.apply(target, values));
    },
  });
}
