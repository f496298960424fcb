import { type EffectOf, type EffectType, effect as effectSchema } from '../../machines/effects.ts';
import { doubled } from '../../machines/rules/backoff.ts';
import type { Log } from '../observability/log.ts';
import { traced } from '../observability/tracing.ts';
import type { ActorKind, Mode, OutboxItem } from '../store/documents.ts';
import type { OutboxCollection, Store } from '../store/port.ts';
import type { FaultHook } from './faults.ts';
import { writeJournal } from './journal.ts';
import { Tombstones } from './tombstones.ts';
import { type Trouble, troubleOf } from './trouble.ts';
import type { EffectEnd, EffectHandlers, EffectItem, EffectResult, EffectSource } from './types.ts';
import { UnknownVersion } from './upcast.ts';

/** An effect that has failed this often quarantines its actor. */
const FAILURES_MAX = 20;

/**
 * Pause before a failed effect is tried again, milliseconds: doubled from the first to the second. A held one waits as long
 * again as it has waited.
 */
const RETRY_MS = { first: 500, most: 60_000 } as const;

/**
 * How many documents one batch of a handler may come from, and how many batches of one type may be under way: what comes
 * meanwhile makes the next ones larger (measured: with 16 instead, a batch costs the database and this process a fifth more
 * per document).
 */
const BATCH_MAX = 500;
const BATCHES_MAX = 2;

/** A trace shows so many ids of a batch. */
const TRACED_MAX = 10;

/** How long what has run waits for the event whose write will clear it; others take it up after RELAY_GRACE_MS. */
const HANDED_MS = 1_000;
/** What had to wait longer to be carried out than this is taken out at once, before others take it up. */
const LINGER_MS = 500;

export interface RelayDeps {
  readonly store: Store;
  readonly clock: () => Date;
  readonly log: Log;
  readonly fault: FaultHook;
  readonly handlers: EffectHandlers;
  readonly onGivenUp: (kind: ActorKind, id: string, reason: string) => Promise<void>;
  /** False for a document of a version that this process does not know. */
  readonly isMine: (from: OutboxCollection, id: string) => Promise<boolean>;
  /** Hears of a document whose next effect waits: what it holds is not known here any more. */
  readonly onStopped: (id: string) => void;
}

/** A document whose outbox is not empty. */
export interface Laden {
  readonly _id: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly outbox: readonly OutboxItem[];
  readonly relayFailures: number;
}

/** The effects of one document that this process is carrying out, in the order of its outbox. */
interface EffectQueue {
  readonly source: EffectSource;
  readonly failures: number;
  waiting: OutboxItem[];
  /** Everything taken over and not yet out of the stored outbox: what a stale read shows again is not run again. */
  readonly known: Set<string>;
  done: string[];
  /** How many have been begun and end later. */
  later: number;
  /** All of `done` has been handed on: the event that will come of it clears the outbox. */
  isHanded: boolean;
  /** Another event follows in a moment, and the write of that will clear the outbox. */
  isAwaited: boolean;
  /** When the last of `done` was decided. */
  decidedAt: Date;
  running: boolean;
  acking: boolean;
  listeners: (() => void)[];
  /** Notified when the completed effects are out of the stored outbox. */
  ackListeners: (() => void)[];
}

interface Row {
  readonly queue: EffectQueue;
  readonly item: OutboxItem;
}

/**
 * Carries out effects: those of one document one after another in the order of its outbox, those of different documents
 * together, batched by type. What has run is taken out of the stored outbox. What fails is tried again later, and stops the
 * document's later effects until then. Everything may run twice, also in another process; handlers are keyed by effect id.
 */
export class Relay {
  readonly #deps: RelayDeps;
  readonly #queues = new Map<string, EffectQueue>();
  /** By the type of their leading effect, each in the order in which they became ready. */
  readonly #ready = new Map<string, Set<EffectQueue>>();
  readonly #batches = new Map<string, number>();
  #acks: EffectQueue[] = [];
  #acking = false;
  /** What has been handed on, the oldest first, with the moment (of the process) at which it is taken out by itself. */
  readonly #handed = new Map<EffectQueue, number>();
  #handedTimer: NodeJS.Timeout | null = null;
  readonly #tombstones = new Tombstones();

  constructor(deps: RelayDeps) {
    this.#deps = deps;
  }

  /**
   * Takes over the effects of a document's outbox, except those that it has already. `isAwaited`: another event follows in a
   * moment, so its write may clear the completed effects.
   */
  take(collection: OutboxCollection, doc: Laden, isAwaited = false): void {
    const left = doc.outbox.filter(({ id }) => !this.#tombstones.has(id));
    if (left.length === 0) return;
    const queue = this.#queueOf(collection, doc);
    queue.isAwaited = isAwaited;
    for (const item of left) {
      if (queue.known.has(item.id)) continue;
      queue.known.add(item.id);
      queue.waiting.push(item);
    }
    this.#makeReady(queue);
    queueMicrotask(() => this.#pump());
  }

  /** Resolves when everything taken over of this document has run or has stopped at a failure. */
  async settled(id: string): Promise<void> {
    const queue = this.#queues.get(id);
    if (!queue || (queue.waiting.length === 0 && !queue.running)) return;
    await new Promise<void>((resolve) => queue.listeners.push(resolve));
  }

  /**
   * The same, and what has run is out of the stored outbox: whoever reads that next finds nothing that would be run again.
   */
  async acked(id: string): Promise<void> {
    await this.settled(id);
    const queue = this.#queues.get(id);
    if (!queue) return;
    if (this.#handed.has(queue)) this.#ackNow(queue);
    await new Promise<void>((resolve) => queue.ackListeners.push(resolve));
  }

  /** Whether this process has carried out all of these, and a write may take them out of the document's outbox. */
  hasDone(id: string, items: readonly OutboxItem[]): boolean {
    const queue = this.#queues.get(id);
    if (!queue || !this.#handed.has(queue)) return false;
    const done = new Set(queue.done);
    return items.every((item) => done.has(item.id) || this.#tombstones.has(item.id));
  }

  /** Of what a document's outbox held when it was read what may still be in it. */
  left(items: readonly OutboxItem[]): readonly OutboxItem[] {
    return items.some(({ id }) => this.#tombstones.has(id))
      ? items.filter(({ id }) => !this.#tombstones.has(id))
      : items;
  }

  /** A commit has taken all out of the stored outbox that this process had carried out. */
  cleared(id: string): void {
    const queue = this.#queues.get(id);
    if (!queue || !this.#handed.delete(queue)) return;
    this.#addTombstones(queue, queue.done.splice(0));
    if (isOver(queue)) this.#forget(queue);
  }

  /** True while an effect of any document waits, runs or is being taken out of its outbox. */
  isBusy(): boolean {
    return this.#queues.size > 0;
  }

  #queueOf(collection: OutboxCollection, doc: Laden): EffectQueue {
    const known = this.#queues.get(doc._id);
    if (known) return known;
    const source = { collection, id: doc._id, merchantId: doc.merchantId, mode: doc.mode };
    const queue: EffectQueue = {
      source,
      failures: doc.relayFailures,
      waiting: [],
      known: new Set(),
      done: [],
      later: 0,
      isHanded: true,
      isAwaited: false,
      decidedAt: new Date(0),
      running: false,
      acking: false,
      listeners: [],
      ackListeners: [],
    };
    this.#queues.set(doc._id, queue);
    return queue;
  }

  #makeReady(queue: EffectQueue): void {
    const type = queue.waiting[0]?.effect.type;
    if (queue.running || type === undefined) return;
    const ready = this.#ready.get(type);
    if (ready) ready.add(queue);
    else this.#ready.set(type, new Set([queue]));
  }

  #pump(): void {
    for (const [type, ready] of this.#ready) {
      while (ready.size > 0 && this.#underWay(type) < BATCHES_MAX) this.#begin(type, takenFrom(ready, BATCH_MAX));
      if (ready.size === 0) this.#ready.delete(type);
    }
  }

  #underWay(type: string): number {
    return this.#batches.get(type) ?? 0;
  }

  #begin(type: string, queues: readonly EffectQueue[]): void {
    for (const queue of queues) queue.running = true;
    this.#batches.set(type, this.#underWay(type) + 1);
    this.#run(type, queues).finally(() => {
      this.#batches.set(type, this.#underWay(type) - 1);
      for (const queue of queues) this.#continue(queue);
      this.#pump();
    });
  }

  /** Runs the leading effect of each document; of journal rows, which no order binds, as many as stand in a row. */
  async #run(type: string, queues: readonly EffectQueue[]): Promise<void> {
    const rows = queues.flatMap((queue) => leading(queue, type).map((item) => ({ queue, item })));
    const attributes = () => ({
      'tideline.effect': type,
      'tideline.count': rows.length,
      'tideline.ids': rows.slice(0, TRACED_MAX).map(({ item }) => item.id),
    });
    const results = await traced({ name: `relay ${type}`, attributes }, () => this.#handle(type, rows));
    const failed = new Map<EffectQueue, Trouble>();
    for (const [index, { queue, item }] of rows.entries()) {
      if (failed.has(queue)) continue;
      const result = results[index] ?? { failed: new Error(`the handler of ${type} gave no result`) };
      if (result === 'done' || result === 'handed') queue.waiting.shift();
      else if ('later' in result) {
        queue.waiting.shift();
        this.#await(queue, item, result.later);
        continue;
      } else {
        failed.set(queue, result);
        continue;
      }
      queue.isHanded = result === 'handed' && (queue.done.length === 0 || queue.isHanded);
      queue.done.push(item.id);
      queue.decidedAt = item.at;
    }
    await Promise.all([...failed].map(([queue, result]) => this.#stop(queue, result)));
  }

  /** Of what fails in the end, the relay job takes up what is still stored. */
  #await(queue: EffectQueue, item: OutboxItem, later: Promise<EffectEnd>): void {
    queue.later += 1;
    queue.isHanded = false;
    void later.catch(troubleOf).then(async (end) => {
      if (end === 'done' || end === 'handed') queue.done.push(item.id);
      else {
        queue.known.delete(item.id);
        await this.#note(queue, item, end);
      }
      queue.later -= 1;
      if (!queue.running && queue.waiting.length === 0 && !queue.acking) this.#queueAck(queue);
    });
  }

  /** What fails as a whole is run again one by one, so that one bad effect is the failure of its own document alone. */
  async #handle(type: string, rows: readonly Row[]): Promise<readonly EffectResult[]> {
    try {
      return await this.#carryOut(type, rows);
    } catch (error) {
      const trouble = troubleOf(error);
      if ('held' in trouble) return rows.map(() => trouble);
      if (rows.length === 1) return [trouble];
      this.#deps.log.warn(
        { type, effects: rows.length, err: error },
        'a batch of effects has failed; each is run alone',
      );
      const alone = await Promise.all(rows.map((row) => this.#handle(type, [row])));
      return alone.flat();
    }
  }

  async #carryOut(type: string, rows: readonly Row[]): Promise<readonly EffectResult[]> {
    const { fault, store, handlers } = this.#deps;
    await fault('relay.effect.before', type);
    const journalRows = rows.map(({ item }) => item.effect);
    const results =
      type === 'journal'
        ? await writeJournal(store, journalRows)
        : await runTyped(
            handlers,
            rows.map(({ queue, item }) => itemOf(queue.source, item)),
          );
    await fault('relay.effect.after', type);
    return results;
  }

  /** Leaves the rest of the document to the relay job, which takes it up again from what is stored. */
  async #stop(queue: EffectQueue, result: Trouble): Promise<void> {
    const left = queue.waiting.splice(0);
    for (const { id } of left) queue.known.delete(id);
    await this.#note(queue, left[0], result);
  }

  async #note(queue: EffectQueue, stopped: OutboxItem | undefined, result: Trouble): Promise<void> {
    const { source } = queue;
    this.#deps.onStopped(source.id);
    const why = whyOf(result);
    this.#deps.log.warn({ actor: source.id, effect: stopped?.id, type: stopped?.effect.type, why }, 'an effect waits');
    const now = this.#deps.clock().getTime();
    try {
      const isFailure = await this.#isFailure(source, result);
      const pauseMs = isFailure ? pauseAfter(queue.failures) : pauseOfHeld(now - (stopped?.at.getTime() ?? now));
      const retryAt = new Date(now + pauseMs);
      const { outboxes } = this.#deps.store;
      const failures = await outboxes.failed(source.collection, source.id, retryAt, isFailure ? 1 : 0);
      if (failures >= FAILURES_MAX && isActor(source.collection)) {
        await this.#deps.onGivenUp(
          source.collection,
          source.id,
          `effect ${stopped?.id} failed ${failures} times: ${why}`,
        );
      }
    } catch (error) {
      this.#deps.log.error({ actor: source.id, err: error }, 'could not note a failed effect');
    }
  }

  /** What only newer code can carry out, for it is at work on the sender or on the receiver, is nobody's failure. */
  async #isFailure({ collection, id }: EffectSource, result: Trouble): Promise<boolean> {
    if (!('failed' in result) || result.failed instanceof UnknownVersion) return false;
    return this.#deps.isMine(collection, id);
  }

  #continue(queue: EffectQueue): void {
    queue.running = false;
    if (queue.waiting.length > 0) {
      this.#makeReady(queue);
      return;
    }
    notify(queue.listeners);
    if (!queue.acking) this.#queueAck(queue);
  }

  #queueAck(queue: EffectQueue): void {
    if (queue.done.length === 0) {
      if (isOver(queue)) this.#forget(queue);
      return;
    }
    if (this.#mayLinger(queue) && queue.ackListeners.length === 0) this.#ackLater(queue);
    else this.#ackNow(queue);
  }

  #mayLinger({ isHanded, isAwaited, decidedAt }: EffectQueue): boolean {
    return isHanded || (isAwaited && this.#deps.clock().getTime() - decidedAt.getTime() <= LINGER_MS);
  }

  #ackNow(queue: EffectQueue): void {
    this.#handed.delete(queue);
    queue.acking = true;
    this.#acks.push(queue);
    queueMicrotask(() => void this.#pumpAcks());
  }

  #ackLater(queue: EffectQueue): void {
    this.#handed.set(queue, performance.now() + HANDED_MS);
    this.#handedTimer ??= setTimeout(() => this.#ackOverdue(), HANDED_MS).unref();
  }

  #ackOverdue(): void {
    this.#handedTimer = null;
    const now = performance.now();
    for (const [queue, at] of this.#handed) {
      if (at > now) {
        this.#handedTimer = setTimeout(() => this.#ackOverdue(), at - now).unref();
        return;
      }
      this.#ackNow(queue);
    }
  }

  /** One write per collection takes what has run out of all outboxes; what ends meanwhile goes into the next one. */
  async #pumpAcks(): Promise<void> {
    if (this.#acking) return;
    this.#acking = true;
    while (this.#acks.length > 0) {
      const queues = this.#acks.splice(0, BATCH_MAX);
      await Promise.all([...byCollection(queues)].map(([from, group]) => this.#ack(from, group)));
    }
    this.#acking = false;
  }

  async #ack(from: OutboxCollection, queues: readonly EffectQueue[]): Promise<void> {
    const done = queues.map((queue) => ({ id: queue.source.id, effectIds: queue.done.splice(0) }));
    try {
      await this.#deps.store.outboxes.ack(from, done);
      for (const [index, queue] of queues.entries()) this.#addTombstones(queue, done[index]?.effectIds ?? []);
      await this.#deps.fault('relay.ack.after', from);
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'effects that have run stay in their outboxes for now');
    }
    for (const [index, queue] of queues.entries()) this.#acked(queue, done[index]?.effectIds ?? []);
  }

  #acked(queue: EffectQueue, effectIds: readonly string[]): void {
    queue.acking = false;
    for (const id of effectIds) queue.known.delete(id);
    if (!isOver(queue) || queue.done.length > 0) {
      if (queue.later === 0) notify(queue.ackListeners);
      if (!queue.running && queue.waiting.length === 0) this.#queueAck(queue);
      return;
    }
    this.#forget(queue);
  }

  /** These are out of the stored outbox, and come into none again. */
  #addTombstones(queue: EffectQueue, effectIds: readonly string[]): void {
    for (const id of effectIds) {
      queue.known.delete(id);
      this.#tombstones.add(id);
    }
  }

  #forget(queue: EffectQueue): void {
    this.#queues.delete(queue.source.id);
    notify(queue.ackListeners);
  }
}

function notify(listeners: (() => void)[]): void {
  for (const resolve of listeners.splice(0)) resolve();
}

/** Takes out up to so many, the first first. */
function takenFrom(ready: Set<EffectQueue>, most: number): EffectQueue[] {
  const taken: EffectQueue[] = [];
  for (const queue of ready) {
    if (taken.length === most) break;
    taken.push(queue);
    ready.delete(queue);
  }
  return taken;
}

/** Nothing of it waits or is under way. */
function isOver(queue: EffectQueue): boolean {
  return !queue.running && queue.waiting.length === 0 && queue.later === 0;
}

function leading(queue: EffectQueue, type: string): OutboxItem[] {
  if (type !== 'journal') return queue.waiting.slice(0, 1);
  const end = queue.waiting.findIndex((item) => item.effect.type !== type);
  return end < 0 ? [...queue.waiting] : queue.waiting.slice(0, end);
}

function itemOf(source: EffectSource, item: OutboxItem): EffectItem {
  const { id, rev, index, at, sequence } = item;
  return { id, mark: [rev, index], at, sequence, source, effect: effectSchema.parse(item.effect) };
}

function whyOf(result: Trouble): string {
  if ('held' in result) return result.held;
  const { failed } = result;
  return failed instanceof UnknownVersion ? (failed.internal ?? failed.message) : failed.message;
}

export function isActor(collection: OutboxCollection): collection is ActorKind {
  return collection === 'subscription' || collection === 'payment' || collection === 'delivery';
}

function byCollection(queues: readonly EffectQueue[]): Map<OutboxCollection, EffectQueue[]> {
  const groups = new Map<OutboxCollection, EffectQueue[]>();
  for (const queue of queues) {
    const group = groups.get(queue.source.collection) ?? [];
    group.push(queue);
    groups.set(queue.source.collection, group);
  }
  return groups;
}

function pauseAfter(failures: number): number {
  return doubled(RETRY_MS.first, failures, RETRY_MS.most);
}

function pauseOfHeld(waitedMs: number): number {
  return Math.min(RETRY_MS.most, Math.max(RETRY_MS.first, waitedMs));
}

/** All items of a batch have the type of the first; the table has a handler for every type. */
async function runTyped(handlers: EffectHandlers, items: readonly EffectItem[]): Promise<readonly EffectResult[]> {
  const [first] = items;
  return first ? runOf(handlers, first.effect.type, items) : [];
}

function runOf<T extends EffectType>(handlers: EffectHandlers, type: T, items: readonly EffectItem[]) {
  return handlers[type](items.filter(isOf(type)));
}

function isOf<T extends EffectType>(type: T) {
  return (item: EffectItem): item is EffectItem<EffectOf<T>> => item.effect.type === type;
}
