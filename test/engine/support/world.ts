import type { Mark } from '../../../machines/actor.ts';
import type { EffectType } from '../../../machines/effects.ts';
import type { EventOf, Machines } from '../../../machines/versions.ts';
import { type Domain, Engine } from '../../../src/engine/engine.ts';
import { type FaultHook, noFaults } from '../../../src/engine/faults.ts';
import { journalOf } from '../../../src/engine/journal.ts';
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
import { type ActorKind, type OutboxItem, PARTITIONS, type StoredActor } from '../../../src/store/documents.ts';
import { openMemoryStore } from '../../../src/store/memory/store.ts';
import type { Store } from '../../../src/store/port.ts';
import { troublesInto } from '../../../stage/recording-log.ts';
import { spied } from './stores.ts';
import { newToy, type Script, TOYS, type ToyContext } from './toy.ts';

export const ALL_PARTITIONS: readonly number[] = Array.from({ length: PARTITIONS }, (_, index) => index);

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
  readonly store?: Store;
  readonly clock?: TestClock;
  readonly fault?: FaultHook;
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
  readonly isAwaited?: Exclude<Domain['isAwaited'], undefined>;
}

/** One process: an engine on a store, and the effects that it has run. */
export interface World {
  readonly store: Store;
  readonly clock: TestClock;
  readonly engine: Engine;
  /** Ids of the effects that have run, in order. */
  readonly carried: string[];
  /** Logged warnings and errors. */
  readonly troubles: string[];
}

export function openWorld(options: WorldOptions = {}): World {
  const { store = openMemoryStore(), clock = new TestClock(), fault = noFaults } = options;
  const carried: string[] = [];
  const troubles: string[] = [];
  const note: Carry = async (item) => {
    const result = (await options.carry?.(item)) ?? 'done';
    if (result === 'done') carried.push(item.id);
    return result;
  };
  const deps = { store, clock: clock.now, log: troublesInto(troubles), fault, machines: options.machines ?? TOYS };
  const { writes = {}, dispatchesDue = true, meters } = options;
  const engine = new Engine({ ...deps, writes, dispatchesDue, ...(meters ? { meters } : {}) }, (made) => ({
    handlers: { ...handlersFrom(note), ...options.handlersOf?.(made) },
    dueEvents: options.dueEvents ?? (async (docs) => docs.map(() => CYCLE_DUE)),
    ...(options.admit === undefined ? {} : { admit: options.admit }),
    admits: options.admits ?? (() => true),
    ...(options.isAwaited === undefined ? {} : { isAwaited: options.isAwaited }),
    ...(options.beforeBatch === undefined ? {} : { beforeBatch: options.beforeBatch }),
  }));
  return { store, clock, engine, carried, troubles };
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
  return {
    'webhook.emit': handle,
    'charge.open': handle,
    'charge.withdraw': handle,
    'charge.schedule': handle,
    'charge.request': handle,
    'deposit.watch': handle,
    'deposit.settle': handle,
    'subscription.tell': handle,
    'allowance.watch': handle,
    'allowance.unwatch': handle,
    'allowance.changed': handle,
    'unit.count': handle,
    'unit.free': handle,
    'subscriptions.cancel': handle,
    'payer.link': handle,
    'payout.registered': handle,
    'webhook.send': handle,
  } satisfies Record<EffectType, typeof handle>;
}

/** Another process on the store and clock of the first. */
export function openBeside({ store, clock }: Pick<World, 'store' | 'clock'>, options: WorldOptions = {}): World {
  return openWorld({ store, clock, ...options });
}

/** A handler that never ends, as in a process that has died. */
export const NEVER: Carry = () => new Promise(() => {});

/** Resolves when these processes have no work under way. */
export async function quiet(...worlds: readonly World[]): Promise<void> {
  do {
    await new Promise((resolve) => setImmediate(resolve));
  } while (worlds.some(({ engine }) => engine.isBusy()));
}

/** Takes over old effects of other processes, as the relay job does. */
export async function relayAll(
  world: World,
  kinds: readonly ActorKind[] = ['subscription', 'payment', 'delivery'],
): Promise<void> {
  world.clock.advance(3_000);
  for (const kind of kinds) while ((await world.engine.relayLeftBehind(kind, ALL_PARTITIONS)) > 0);
  await quiet(world);
}

let made = 0;

export function toyId(prefix = 'sub'): string {
  made += 1;
  return `${prefix}_${String(made).padStart(6, '0')}`;
}

export function creation(id: string, more: Partial<ToyContext> = {}, kind: ActorKind = 'subscription'): Create {
  const attributes = kind === 'delivery' ? { resourceId: id, sequence: 1, eventId: id } : {};
  return { kind, id, merchantId: 'mrc_1', mode: 'test', attributes, context: newToy(id, more), by: 'test' };
}

/** A toy, made and at rest. */
export async function makeToy(
  world: World,
  more: Partial<ToyContext> = {},
  kind: ActorKind = 'subscription',
): Promise<string> {
  const id = toyId(kind === 'subscription' ? 'sub' : kind === 'payment' ? 'pay' : 'dlv');
  const [result] = await world.engine.create(kind, [creation(id, more, kind)]);
  if (result?.kind !== 'created')
    throw new Error(`${id} was not made: ${JSON.stringify(result satisfies Created | undefined)}`);
  await quiet(world);
  return id;
}

export interface ToyOptions extends WorldOptions {
  readonly toy?: Partial<ToyContext>;
  readonly kind?: ActorKind;
}

/** A process with one toy, made and at rest. `calls` are the calls about actors since then. */
export async function openToy({ toy, kind, ...options }: ToyOptions = {}) {
  const { store, calls } = spied(options.store ?? openMemoryStore());
  const world = openWorld({ ...options, store });
  const id = await makeToy(world, toy, kind);
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

/** Dispatches a command to a toy, and waits until its process is quiet. */
export async function playOut(world: World, id: string, script: Script): Promise<Dispatched> {
  const result = await world.engine.dispatch(play(id, script));
  await quiet(world);
  return result;
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

export async function stored(world: World, id: string, kind: ActorKind = 'subscription'): Promise<StoredActor> {
  const [doc] = await world.store.actors.load(kind, [id]);
  if (!doc) throw new Error(`${id} is not stored`);
  return doc;
}

/** Compares the replayed journal of an actor with the stored state; throws if they differ. */
export async function replayed(
  world: World,
  id: string,
  kind: ActorKind = 'subscription',
  machines = TOYS,
): Promise<Replayed> {
  const doc = await stored(world, id, kind);
  return replayOf(machines, doc, await journalOf(world.store, doc));
}

/** Changes stored data without the engine. */
export async function corrupt(
  world: World,
  id: string,
  wrong: Partial<Pick<StoredActor, 'value' | 'context' | 'wakeAt'>>,
  kind: ActorKind = 'subscription',
): Promise<void> {
  const doc = await stored(world, id, kind);
  const set = { ...doc, rev: doc.rev + 1, ...wrong };
  const commit = { id, seenRev: doc.rev, op: `op_${id}`, set, journal: [], effects: [], relayAt: world.clock.now() };
  const [verdict] = await world.store.actors.commit(kind, [commit]);
  if (verdict !== 'applied') throw new Error(`${id} could not be corrupted`);
}

/** Puts effects into an actor's outbox without the engine, due at once. */
export async function leave(world: World, id: string, effects: readonly OutboxItem['effect'][]): Promise<void> {
  const doc = await stored(world, id);
  const rev = doc.rev + 1;
  const at = world.clock.now();
  const items = effects.map((effect, index) => ({
    id: `${id}:${rev}:${index}`,
    rev,
    index,
    at,
    sequence: null,
    effect,
  }));
  await world.store.actors.commit('subscription', [
    { id, seenRev: doc.rev, op: `op_${id}`, set: { ...doc, rev }, journal: [], effects: items, relayAt: at },
  ]);
}

/** A promise that the test resolves. */
export function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let settle = (_: T): void => {};
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (value) => settle(value) };
}
