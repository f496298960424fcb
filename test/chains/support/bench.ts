import { randomUUID } from 'node:crypto';
import type { ChainContext } from '../../../src/chains/context.ts';
import type {
  AllowanceChange,
  Chain,
  ChargeFact,
  ChargeListener,
  ReportedFact,
  Reserved,
  StartAnswer,
} from '../../../src/chains/port.ts';
import type { ChainTiming } from '../../../src/chains/timing.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import { type Leases, storeLeases } from '../../../src/store/leases.ts';
import { openMemoryStore } from '../../../src/store/memory/store.ts';
import type { RecordStore } from '../../../src/store/port.ts';
import type { LogLine } from '../../../stage/recording-log.ts';
import { merchantOf } from '../../store/support/documents.ts';

/** The RPC URLs of a chain's configuration. */
export function urlsOf(wish: SharedWish, own: string): readonly [string, ...string[]] {
  const { rpcUrl = own } = wish;
  return typeof rpcUrl === 'string' ? [rpcUrl] : rpcUrl;
}

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
export class TestListener implements ChargeListener {
  readonly reported: ReportedFact[] = [];
  readonly wallets: string[] = [];
  readonly allowances: AllowanceChange[] = [];
  readonly started: string[] = [];
  /** The charges that may be signed. */
  allows: (charge: ChargeDoc) => boolean = () => true;
  /** The charges that their payments have withdrawn. */
  withdrew: (charge: ChargeDoc) => boolean = () => false;
  /** The reserves before a charge. Null: unknown. */
  sets: (charge: ChargeDoc) => Reserved | null = () => NOTHING_RESERVED;
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

  async reserves(charges: readonly ChargeDoc[]): Promise<ReadonlyMap<string, Reserved>> {
    return new Map(
      charges.flatMap((charge) => {
        const aside = this.sets(charge);
        return aside ? [[charge._id, aside] as const] : [];
      }),
    );
  }

  async notify(facts: readonly ReportedFact[]): Promise<void> {
    await this.onNotify(facts);
    this.reported.push(...facts);
    this.#stir();
  }

  async allowancesChanged(changes: readonly AllowanceChange[]): Promise<void> {
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
  readonly leases?: Leases;
  /** When true, none of its writes reaches the store, as if its process were dead. */
  readonly isDead?: () => boolean;
  readonly fault?: ChainContext['fault'];
  readonly clock?: () => Date;
  readonly timing?: Partial<ChainTiming>;
}

/** The deps of every chain. */
export type SharedDeps = Pick<ChainContext, 'records' | 'listener' | 'leases' | 'clock' | 'newId' | 'fault' | 'log'>;

/** A store, a listener, and chains on them; everything that happens wakes those who wait. */
export abstract class ChainBench<Wish extends SharedWish> {
  readonly listener: TestListener;
  readonly records: RecordStore;
  readonly logged: LogLine[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #chains: Chain[] = [];

  constructor(records: RecordStore = openMemoryStore().records) {
    this.records = stirring(records, () => this.#stir());
    this.listener = new TestListener(() => this.#stir());
    void records.insert('merchants', [merchantOf('mrc_a')]);
  }

  /** A chain as another process would make it on the same store. Not started. */
  chain(wish: Wish): Chain {
    const clock = wish.clock ?? (() => new Date());
    const timing = { ...TEST_TIMING, ...wish.timing };
    const records = wish.isDead ? dying(this.records, wish.isDead) : this.records;
    const leaseMs = timing.leaseMs ?? 400;
    const chain = this.make(wish, timing, {
      records,
      listener: this.listener,
      leases: wish.leases ?? storeLeases({ records, holder: randomUUID(), leaseMs, clock }),
      clock,
      newId: () => `txn_${randomUUID()}`,
      fault: wish.fault ?? (async () => {}),
      log: this.#log(),
    });
    this.#chains.push(chain);
    return chain;
  }

  protected abstract make(wish: Wish, timing: Partial<ChainTiming>, deps: SharedDeps): Chain;

  async charge(...charges: ChargeDoc[]): Promise<void> {
    await this.records.insert('charges', charges);
    for (const chain of this.#chains) chain.wake();
  }

  async read(charge: ChargeDoc): Promise<ChargeDoc> {
    const [doc] = await this.records.get('charges', [charge._id]);
    if (!doc) throw new Error(`no charge ${charge._id}`);
    return doc;
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

  async stop(): Promise<void> {
    await Promise.all(this.#chains.splice(0).map((chain) => chain.stop()));
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
    const at =
      (level: keyof SharedDeps['log']) =>
      (detail: object, message: string): void => {
        this.logged.push({ level, detail, message });
        this.#stir();
      };
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  }
}

/** The same store; it calls `stir` after every write. */
function stirring(records: RecordStore, stir: () => void): RecordStore {
  const after = async <T>(done: Promise<T>): Promise<T> => {
    const value = await done;
    stir();
    return value;
  };
  return {
    get: (from, ids) => records.get(from, ids),
    getWith: (from, ids, by, named) => records.getWith(from, ids, by, named),
    find: (from, query) => records.find(from, query),
    count: (from, where) => records.count(from, where),
    insert: (into, docs) => after(records.insert(into, docs)),
    change: (of, key, where, change) => after(records.change(of, key, where, change)),
    changeMany: (of, changes) => after(records.changeMany(of, changes)),
    changeAlike: (of, ids, where, change) => after(records.changeAlike(of, ids, where, change)),
    upsert: (of, key, initial, change) => after(records.upsert(of, key, initial, change)),
    remove: (from, ids) => after(records.remove(from, ids)),
  };
}

/** The same store while its process lives. */
function dying(records: RecordStore, isDead: () => boolean): RecordStore {
  const alive = (): RecordStore => {
    if (isDead()) throw new Error('this process is dead');
    return records;
  };
  return {
    get: async (from, ids) => alive().get(from, ids),
    getWith: async (from, ids, by, named) => alive().getWith(from, ids, by, named),
    find: async (from, query) => alive().find(from, query),
    count: async (from, where) => alive().count(from, where),
    insert: async (into, docs) => alive().insert(into, docs),
    change: async (of, key, where, change) => alive().change(of, key, where, change),
    changeMany: async (of, changes) => alive().changeMany(of, changes),
    changeAlike: async (of, ids, where, change) => alive().changeAlike(of, ids, where, change),
    upsert: async (of, key, initial, change) => alive().upsert(of, key, initial, change),
    remove: async (from, ids) => alive().remove(from, ids),
  };
}
