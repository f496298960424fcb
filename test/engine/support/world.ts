import type { Mark } from '../../../machines/actor.ts';
import type { EventOf, Machines } from '../../../machines/versions.ts';
import { type Domain, Engine, type EngineDeps } from '../../../src/engine/engine.ts';
import { noFaults } from '../../../src/engine/faults.ts';
import { journalOf } from '../../../src/engine/journal.ts';
import { setQuarantine } from '../../../src/engine/quarantine.ts';
import { type Replayed, replayOf } from '../../../src/engine/replay.ts';
import type {
  Create,
  Created,
  Dispatch,
  Dispatched,
  EffectHandlers,
  EffectItem,
  EffectResult,
  Meters,
} from '../../../src/engine/types.ts';
import type { WriteVersions } from '../../../src/engine/upcast.ts';
import type {
  ActorKind,
  JournalRow,
  OutboxDoc,
  OutboxItem,
  OutboxSource,
  StoredActor,
} from '../../../src/store/documents.ts';
import { openMemoryStore } from '../../../src/store/memory/store.ts';
import type { LedgerStore } from '../../../src/store/port.ts';
import { forEveryEffect } from '../../../stage/effect-handlers.ts';
import { troublesInto } from '../../../stage/recording-log.ts';
import { spied } from './stores.ts';
import { newToy, type Script, TOYS, type ToyContext } from './toy.ts';

/** A clock that only a test moves. */
export class TestClock {
  #now: Date;

  constructor(now = new Date('2026-03-01T12:00:00.000Z')) {
    this.#now = now;
  }

  readonly now = (): Date => new Date(this.#now);

  advance(ms: number): void {
    this.#now = new Date(this.#now.getTime() + ms);
  }

  /** A time from now, in the form for machines. */
  in(ms: number): string {
    return new Date(this.#now.getTime() + ms).toISOString();
  }
}

/** Runs an effect in a test; by default it is only recorded. */
export type Carry = (item: EffectItem) => EffectResult | Promise<EffectResult>;

export interface WorldOptions {
  readonly store?: LedgerStore;
  readonly clock?: TestClock;
  readonly dispatchesDue?: boolean;
  readonly machines?: Machines;
  readonly writes?: WriteVersions;
  readonly carry?: Carry;
  /** Whole handlers instead of `carry`. */
  readonly handlersOf?: (engine: Engine) => Partial<EffectHandlers>;
  readonly dueEvents?: Domain['dueEvents'];
  readonly admit?: Exclude<Domain['admit'], undefined>;
  readonly admits?: Domain['admits'];
  readonly beforeBatch?: Exclude<Domain['beforeBatch'], undefined>;
  readonly meters?: Meters;
  readonly isChecked?: EngineDeps['isChecked'];
  readonly isAwaited?: Exclude<Domain['isAwaited'], undefined>;
}

/** One process: an engine on a store, the effects that it has run, and the verbs of its tests. */
export class World {
  readonly store: LedgerStore;
  readonly clock: TestClock;
  readonly machines: Machines;
  readonly engine: Engine;
  /** Ids of the effects that have run, in order. */
  readonly carried: string[] = [];
  /** Logged warnings and errors. */
  readonly troubles: string[] = [];

  constructor(options: WorldOptions = {}) {
    const { store = openMemoryStore(), clock = new TestClock(), machines = TOYS } = options;
    this.store = store;
    this.clock = clock;
    this.machines = machines;
    const note: Carry = async (item) => {
      const result = (await options.carry?.(item)) ?? 'done';
      if (result === 'done') this.carried.push(item.id);
      return result;
    };
    const deps = { store, clock: clock.now, log: troublesInto(this.troubles), fault: noFaults, machines };
    const { writes = {}, dispatchesDue = true, meters, isChecked } = options;
    this.engine = new Engine({ ...deps, writes, dispatchesDue, isChecked, ...(meters ? { meters } : {}) }, (made) => ({
      handlers: { ...handlersFrom(note), ...options.handlersOf?.(made) },
      dueEvents: options.dueEvents ?? (async (docs) => docs.map(() => CYCLE_DUE)),
      ...(options.admit === undefined ? {} : { admit: options.admit }),
      admits: options.admits ?? (() => true),
      ...(options.isAwaited === undefined ? {} : { isAwaited: options.isAwaited }),
      ...(options.beforeBatch === undefined ? {} : { beforeBatch: options.beforeBatch }),
    }));
  }

  /** Another process on the same store and clock. */
  beside(options: WorldOptions = {}): World {
    return new World({ store: this.store, clock: this.clock, ...options });
  }

  /** A toy, made and at rest. */
  async makeToy(more: Partial<ToyContext> = {}, kind: ActorKind = 'subscription'): Promise<string> {
    const id = toyId(kind === 'subscription' ? 'sub' : 'pay');
    const [result] = await this.engine.create(kind, [creation(id, more, kind)]);
    if (result?.kind !== 'created')
      throw new Error(`${id} was not made: ${JSON.stringify(result satisfies Created | undefined)}`);
    await quiet(this);
    return id;
  }

  /** Dispatches a command to a toy, and waits until this process is quiet. */
  async playOut(id: string, script: Script): Promise<Dispatched> {
    const result = await this.engine.dispatch(play(id, script));
    await quiet(this);
    return result;
  }

  async stored(id: string, kind: ActorKind = 'subscription'): Promise<StoredActor> {
    const [doc] = await this.store.actors.load(kind, [id]);
    if (!doc) throw new Error(`${id} is not stored`);
    return doc;
  }

  async journal(id: string, kind: ActorKind = 'subscription'): Promise<JournalRow[]> {
    return journalOf(this.store, await this.stored(id, kind));
  }

  /** Ends a quarantine, as staff do. */
  async release(id: string): Promise<void> {
    const { store, clock } = this;
    const change = { kind: 'subscription', id, quarantine: null, by: 'staff:test' } as const;
    expect(await setQuarantine({ store, clock: clock.now }, change)).toBe(true);
  }

  /** The stored outboxes with effects of a document, the oldest first. */
  outboxes(documentId: string): Promise<OutboxDoc[]> {
    const where = { 'entries.documentId': documentId };
    return this.store.records.find('outbox', { where, sort: [['createdAt', 1]], limit: 1_000 });
  }

  /** Compares the replayed journal of an actor with the stored state; throws if they differ. */
  async replayed(id: string, kind: ActorKind = 'subscription'): Promise<Replayed> {
    const doc = await this.stored(id, kind);
    return replayOf(this.machines, doc, await journalOf(this.store, doc));
  }

  /** Runs effects that other processes have left behind. Resolves with the number of their documents. */
  relay(kind: OutboxSource = 'subscription'): Promise<number> {
    return this.engine.relayLeftBehind(kind);
  }

  /** Takes over old effects of other processes, as the relay job does. */
  async relayAll(kinds: readonly ActorKind[] = ['subscription', 'payment']): Promise<void> {
    this.clock.advance(3_000);
    for (const kind of kinds) while ((await this.relay(kind)) > 0);
    await quiet(this);
  }

  /** Changes stored data without the engine. */
  async corrupt(id: string, wrong: Partial<Pick<StoredActor, 'value' | 'context' | 'wakeAt'>>): Promise<void> {
    const doc = await this.stored(id);
    const rev = doc.rev + 1;
    const wakes = wrong.wakeAt === undefined ? {} : { wakeRev: rev };
    const verdict = await this.#commit(doc, { ...doc, rev, ...wakes, ...wrong });
    if (verdict !== 'applied') throw new Error(`${id} could not be corrupted`);
  }

  /** Puts effects into an actor's outbox without the engine, due at once. */
  async leave(id: string, effects: readonly OutboxItem['effect'][]): Promise<void> {
    const doc = await this.stored(id);
    const rev = doc.rev + 1;
    const of = { rev, at: this.clock.now(), sequence: null };
    const items = effects.map((effect, index) => ({ ...of, id: `${id}:${rev}:${index}`, index, effect }));
    await this.#commit(doc, { ...doc, rev }, items);
  }

  async #commit(before: StoredActor, changed: StoredActor, effects: readonly OutboxItem[] = []) {
    const at = this.clock.now();
    const op = `op_${changed._id}:${changed.rev}`;
    const after = effects.length === 0 ? changed : { ...changed, outboxId: op };
    const commits = [{ before, after, events: [], effects }];
    const [verdict] = await this.store.actors.commit('subscription', { op, at, relayAt: at, commits });
    return verdict;
  }
}

/** The event with which a due toy is woken. */
export const CYCLE_DUE = {
  kind: 'subscription',
  event: { type: 'cycle.due', asked: false, charge: { ready: true } },
} as const;

/** The whole table with one handler for every type. */
function handlersFrom(carry: Carry): EffectHandlers {
  const handle = async (items: readonly EffectItem[]): Promise<EffectResult[]> => {
    const results: EffectResult[] = [];
    for (const item of items) results.push(await carry(item));
    return results;
  };
  return forEveryEffect(handle);
}

/** A handler that never ends, as in a process that has died. */
export const NEVER: Carry = () => new Promise(() => {});

/** Resolves when these processes have no work under way. */
export async function quiet(...worlds: readonly World[]): Promise<void> {
  do {
    await new Promise((resolve) => setImmediate(resolve));
  } while (worlds.some(({ engine }) => engine.isBusy()));
}

let made = 0;

export function toyId(prefix = 'sub'): string {
  made += 1;
  return `${prefix}_${String(made).padStart(6, '0')}`;
}

export function creation(id: string, more: Partial<ToyContext> = {}, kind: ActorKind = 'subscription'): Create {
  return { kind, id, merchantId: 'mrc_1', mode: 'test', attributes: {}, context: newToy(id, more), by: 'test' };
}

export interface ToyOptions extends WorldOptions {
  readonly toy?: Partial<ToyContext>;
  readonly kind?: ActorKind;
}

/** A process with one toy, made and at rest. `calls` are the calls about actors since then. */
export async function openToy({ toy, kind, ...options }: ToyOptions = {}) {
  const { store, calls } = spied(options.store ?? openMemoryStore());
  const world = new World({ ...options, store });
  const id = await world.makeToy(toy, kind);
  calls.length = 0;
  return { world, id, calls };
}

/** A command for a toy. */
export function play(id: string, customVariables: Script): Dispatch<'subscription'> {
  const event: EventOf<'subscription'> = {
    type: 'variables.replaced',
    customVariables: { ...defined(customVariables) },
  };
  return { kind: 'subscription', id, event, by: 'test' };
}

/** An event for a subscription. */
export function eventFor(id: string, event: EventOf<'subscription'>): Dispatch<'subscription'> {
  return { kind: 'subscription', id, event, by: 'test' };
}

/** The message to a payment that its charge is withdrawn, with the mark of its sender. */
export function withdrawal(id: string, sender: string, mark: Mark): Dispatch<'payment'> {
  return { kind: 'payment', id, event: { type: 'charge.withdrawn' }, by: sender, sender: { id: sender, mark } };
}

function defined(of: Script): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(of).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** The rows of a journal with one of them changed. */
export function changing(rows: readonly JournalRow[], rev: number, change: Partial<JournalRow>): JournalRow[] {
  return rows.map((row) => (row.rev === rev ? { ...row, ...change } : row));
}

/** A promise that the test resolves. */
export function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let settle = (_: T): void => {};
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (value) => settle(value) };
}
