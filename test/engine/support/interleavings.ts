import { hash } from 'node:crypto';
import { silentLog } from '../../../scripts/lib/silent-log.ts';
import { LogActors } from '../../../src/store/actors/log-actors.ts';
import { openMemoryStore } from '../../../src/store/memory/store.ts';
import type { CollectionName, LedgerStore, RecordStore } from '../../../src/store/port.ts';
import { overriding } from '../../../stage/overriding.ts';
import { TestClock, type World } from './world.ts';

/** What an engine on actors reads and writes. */
const COLLECTIONS = ['log', 'subscriptions', 'timers', 'outbox'] as const;

/** One process: what it does, and how far its clock is ahead of the others. */
export interface Process {
  readonly run: (world: World) => Promise<unknown>;
  readonly aheadMs?: number;
}

/** One operation of a process on the database, or one effect. It waits until the run lets it go. */
interface Step {
  readonly process: number;
  readonly name: string;
  readonly go: () => Promise<void>;
}

/** A database with several processes, each stopped before its next steps. */
export class Run {
  readonly store: LedgerStore;
  /** The ids of the effects that have run, in order, repetitions left out. */
  readonly ran: string[] = [];
  readonly #steps: Step[] = [];
  /** The results of each process; they decide everything that it does. */
  readonly #seen: string[][];
  /** Random ids by their process and number, so that equal runs have equal results. */
  readonly #ids = new Map<string, string>();

  private constructor(store: LedgerStore, processes: number) {
    this.store = store;
    this.#seen = Array.from({ length: processes }, () => []);
  }

  static async start(
    initial: LedgerStore,
    processes: readonly Process[],
    open: (store: LedgerStore, clock: TestClock, carry: (id: string) => Promise<void>) => World,
  ): Promise<Run> {
    const run = new Run(await copyOf(initial), processes.length);
    for (const [index, { run: work, aheadMs = 0 }] of processes.entries()) {
      const clock = new TestClock();
      clock.advance(aheadMs);
      const carry = (id: string) => run.#step(index, `run ${id}`, async () => run.#note(id));
      void work(open(run.#gated(index), clock, carry)).then(
        (result) => run.#seen[index]?.push(`ended ${JSON.stringify(result)}`),
        (error: unknown) => run.#seen[index]?.push(`failed ${String(error)}`),
      );
    }
    await settled();
    return run;
  }

  /** The steps that may come next. */
  get next(): readonly string[] {
    return this.#steps.map(({ process, name }) => `${process} ${name}`);
  }

  async take(index: number): Promise<void> {
    const [step] = this.#steps.splice(index, 1);
    await step?.go();
    await settled();
    this.#steps.sort((one, other) => one.process - other.process);
  }

  /** Two runs with one key continue alike. `stored`: without the processes, which may die. */
  async key(): Promise<{ readonly whole: string; readonly stored: string }> {
    const stored = this.#named(JSON.stringify([await contentsOf(this.store), this.ran]));
    return { stored, whole: hash('sha256', `${stored} ${this.#named(JSON.stringify([this.#seen, this.next]))}`) };
  }

  /** The processes' last words, for a failure. */
  toString(): string {
    return this.#named(JSON.stringify({ seen: this.#seen, ran: this.ran, next: this.next }, null, 1));
  }

  #note(id: string): void {
    if (!this.ran.includes(id)) this.ran.push(id);
  }

  #step<T>(process: number, name: string, run: () => Promise<T>): Promise<T> {
    for (const [id] of name.matchAll(OP)) {
      if (!this.#ids.has(id)) this.#ids.set(id, `op ${this.#ids.size} of ${process}`);
    }
    return new Promise((resolve, reject) => {
      const go = async () => {
        try {
          const result = await run();
          this.#seen[process]?.push(`${name.slice(0, 20)} ${JSON.stringify(result ?? null)}`);
          resolve(result);
        } catch (error) {
          reject(error);
        }
      };
      this.#steps.push({ process, name, go });
    });
  }

  #gated(process: number): LedgerStore {
    const { records } = this.store;
    const gate = (name: keyof RecordStore) => {
      const method: unknown = Reflect.get(records, name);
      if (typeof method !== 'function') throw new Error(`no ${name}`);
      return (of: CollectionName, ...rest: unknown[]) => {
        // An operation on nothing asks the database nothing.
        if (Array.isArray(rest[0]) && rest[0].length === 0) return method.apply(records, [of, ...rest]);
        return this.#step(process, `${name} ${of} ${JSON.stringify(rest)}`, () => method.apply(records, [of, ...rest]));
      };
    };
    const names = ['get', 'insert', 'find', 'change', 'changeMany', 'remove', 'putNewer'] as const;
    const gated = overriding(records, Object.fromEntries(names.map((name) => [name, gate(name)])));
    return { ...this.store, records: gated, actors: new LogActors(gated, silentLog) };
  }

  #named(text: string): string {
    return text.replaceAll(OP, (id) => this.#ids.get(id) ?? id);
  }
}

const OP = /op_[0-9a-z]+/g;

/** Lets every process go on until it waits for its next step. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

async function contentsOf({ records }: LedgerStore) {
  const all = { where: {}, sort: [['_id', 1]], limit: 1_000 } as const;
  const found = await Promise.all(COLLECTIONS.map((name) => records.find(name, all)));
  return found;
}

/** A store with the same actors. */
export async function copyOf({ records }: LedgerStore): Promise<LedgerStore> {
  const copy = openMemoryStore();
  const all = { where: {}, limit: 1_000 };
  for (const name of COLLECTIONS) await copy.records.insert(name, await records.find(name, all));
  return copy;
}

/**
 * Takes the steps of the processes in every order. Calls `check` for each different content of the database: a crash of
 * any of them at any point is one of these, because the others may go on from there. Returns their number.
 */
export async function explore(start: () => Promise<Run>, check: (run: Run) => Promise<void>): Promise<number> {
  const seen = new Set<string>();
  const checked = new Set<string>();
  const open: number[][] = [[]];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const run = await start();
    for (const index of path) await run.take(index);
    for (;;) {
      const { whole, stored } = await run.key();
      if (seen.has(whole)) break;
      seen.add(whole);
      if (!checked.has(stored)) await check(run);
      checked.add(stored);
      for (let index = 1; index < run.next.length; index += 1) open.push([...path, index]);
      if (run.next.length === 0) break;
      path = [...path, 0];
      await run.take(0);
    }
  }
  return checked.size;
}
